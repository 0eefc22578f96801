// Runs one `.any.js` file with the real testharness.js inside a guest environment, as the body of a smart function, and
// collects the subtests' results.

import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";

import { type Engine, FIXED_NOW } from "../../daemon/runtime/engine/engine.ts";
import type { GuestStep } from "../../daemon/runtime/engine/guest-call.ts";
import type { GuestHost, GuestRequest, GuestResponse } from "../../daemon/runtime/engine/host-ops.ts";
import { WPT_FOLDER } from "./cache.ts";

export interface FileResult {
  readonly path: string;
  readonly passed: number;
  readonly failed: number;
  /** Names of failed subtests with the harness's message. */
  readonly failures: readonly { readonly name: string; readonly message: string }[];
  /** Set when the file did not run to its end. */
  readonly stopped?: string;
}

const GAS = 20_000_000_000;

/**
 * Features that the harness expects of a global scope and a smart function lacks: a location, and timers, built from
 * signals with a time limit (the next one aborts when nothing else is left to do).
 */
const SHIM = (path: string): string => `
  const at = "http://web-platform.test/${path}";
  const nativeFetch = fetch;
  let lastTimer = 0;
  const live = new Map();
  const expose = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const listen = EventTarget.prototype.addEventListener;
  const start = (repeat) => (step, ms = 0, ...values) => {
    const id = ++lastTimer;
    live.set(id, true);
    const tick = () => listen.call(timeout(Math.max(0, Number(ms) || 0)), "abort", () => {
      if (!live.has(id)) return;
      if (!repeat) live.delete(id);
      step(...values);
      if (repeat) tick();
    });
    tick();
    return id;
  };
  expose("setTimeout", start(false));
  expose("setInterval", start(true));
  expose("clearTimeout", (id) => void live.delete(id));
  expose("clearInterval", (id) => void live.delete(id));
  expose("location", { href: at, search: "", pathname: "/${path}", origin: "http://web-platform.test", toString: () => at });
  expose("fetch", (input, init) => nativeFetch(typeof input === "string" ? new URL(input, at).href : input, init));
  expose("GLOBAL", { isWindow: () => false, isWorker: () => false, isShadowRealm: () => false });
`;

async function scriptsOf(path: string, source: string): Promise<string[]> {
  const scripts: string[] = [];
  for (const [, name] of source.matchAll(/^\/\/ META: script=(\S+)/gm)) {
    const file = (name as string).startsWith("/")
      ? (name as string).slice(1)
      : posix.join(posix.dirname(path), name as string);
    scripts.push(await readFile(join(WPT_FOLDER, file.split("?")[0] as string), "utf8").catch(() => ""));
  }
  return scripts;
}

/** Stands in for the tests' server: files of the cache by URL path, and the one script that echoes a body. */
async function serve({ url, body }: GuestRequest): Promise<GuestResponse> {
  const { pathname } = new URL(url);
  if (pathname.endsWith("/echo-content.py")) return { status: 200, statusText: "OK", headers: [], body };
  try {
    const bytes = await readFile(join(WPT_FOLDER, decodeURIComponent(pathname)));
    const type = pathname.endsWith(".json") ? "application/json" : "text/plain";
    return { status: 200, statusText: "OK", headers: [["content-type", type]], body: new Uint8Array(bytes) };
  } catch {
    return { status: 404, statusText: "Not Found", headers: [], body: "" };
  }
}

export async function runFile(engine: Engine, path: string): Promise<FileResult> {
  const source = await readFile(join(WPT_FOLDER, path), "utf8");
  const harness = await readFile(join(WPT_FOLDER, "resources", "testharness.js"), "utf8");
  const scripts = [...(await scriptsOf(path, source)), source].join("\n;\n");
  const code = `${SHIM(path)}
    const run = (0, eval);
    export default async () => {
      // Harness and tests load in one job: the harness takes the first job after it as the end of loading.
      run(${JSON.stringify(harness)});
      const finished = new Promise((resolve) => {
        add_completion_callback((tests, status) => resolve({
          status: status.status, message: status.message,
          tests: tests.map(({ name, status, message }) => ({ name, status, message })),
        }));
      });
      try { run(${JSON.stringify(scripts)}); } catch (error) {
        return Response.json({ status: 1, message: String(error) + error?.stack, tests: [] });
      }
      setTimeout(() => globalThis.done(), 100000);
      return Response.json(await finished);
    };`;
  const fetches: { id: number; request: GuestRequest }[] = [];
  const host: GuestHost = {
    op: () => undefined,
    fetch: (id, request) => {
      fetches.push({ id, request });
      return undefined;
    },
  };
  const call = engine.open(code, `wpt:///${path}`, { gas: GAS, now: FIXED_NOW, seed: path });
  try {
    let step: GuestStep = call.invoke(host, {
      url: "jstz://KT1Wpt/",
      method: "GET",
      headers: [],
      body: null,
    });
    while (step.kind === "waiting") {
      const next = fetches.shift();
      if (next === undefined) break;
      step = call.deliver(next.id, await serve(next.request));
    }
    return summarize(path, step);
  } finally {
    call.close();
  }
}

interface Report {
  readonly status: number;
  readonly message: string | null;
  readonly tests: readonly {
    readonly name: string;
    readonly status: number;
    readonly message: string | null;
  }[];
}

function summarize(path: string, step: GuestStep): FileResult {
  if (step.kind !== "response") {
    const stopped =
      step.kind === "failure"
        ? `${step.code}: ${step.stack}`
        : "the tests wait for something that never comes";
    return { path, passed: 0, failed: 1, failures: [], stopped };
  }
  const report = JSON.parse(String(step.response.body)) as Report;
  const failures = report.tests
    .filter((test) => test.status !== 0)
    .map(({ name, message }) => ({ name, message: message ?? "" }));
  const passed = report.tests.length - failures.length;
  if (report.status === 0 || report.status === 4) return { path, passed, failed: failures.length, failures };
  const stopped = report.message ?? `harness status ${report.status}`;
  return { path, passed, failed: Math.max(1, failures.length), failures, stopped };
}
