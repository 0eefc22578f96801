import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterEach, describe, expect, it } from "vitest";
import { ownerHeaders } from "../../protocol/admin-secret.ts";
import type { LineReport, ProfileReport } from "../../protocol/debug-api.ts";
import { testEngine } from "../engine/test-engine.ts";
import {
  engineDirectory,
  runContent,
  Signer,
  startNode,
  type StartedNode,
  TEST_SECRET,
} from "../test-node.ts";
import { openDebugger } from "./debug-server.ts";
import { CALLEE, OUTSIDE } from "./test-operations.ts";
import { RecordedRuntime } from "./test-recorded.ts";

let node: StartedNode;
afterEach(() => node?.stop());

interface Failure {
  readonly error: { readonly code: string; readonly data: Record<string, unknown> };
}

async function debug<T>(action: string, body: unknown, headers = ownerHeaders(TEST_SECRET)): Promise<T> {
  const response = await fetch(`${node.endpoint}/admin/debug/${action}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}

async function run(signer: Signer, uri: string): Promise<string> {
  const { signed, hash } = signer.sign(runContent(uri));
  await node.client.inject(signed);
  await node.client.waitForReceipt(hash);
  return hash;
}

interface Traced {
  readonly gas: number;
  readonly calls: readonly Traced[];
}
const gasOf = ({ gas, calls }: Traced): number => calls.reduce((sum, call) => sum + gasOf(call), gas);

const SOURCE = `interface Row { n: number }
const double = (row: Row): number => {
  return row.n * 2;
};

export default (request: Request): Response => {
  const row: Row = { n: Number(new URL(request.url).searchParams.get("n")) };
  Kv.set("n", row.n);
  return new Response(String(double(row)));
};
`;

describe("the debugger of a node", () => {
  it("profiles an operation to the unit of gas, as often as asked, while others run", async () => {
    node = await startNode();
    const signer = new Signer(node.client);
    const address = await signer.deploy(CALLEE);
    const hash = await run(signer, `jstz://${address}/add?n=1`);
    const others = Array.from({ length: 20 }, (_, i) =>
      run(new Signer(node.client), `jstz://${address}/add?n=${i}`),
    );
    const reports = await Promise.all([1, 2].map(() => debug<ProfileReport>("profile", { hash })));
    await Promise.all(others);
    const trace = await node.client.trace(hash);
    for (const { gas, isWhole, profile } of reports) {
      expect(isWhole).toBe(true);
      expect(gas).toBe(gasOf(trace!.trace!.call));
      expect(profile.endTime).toBe(gas);
    }
  });

  it("replays what uses up the stack, for its thread has as much as the executor's", async () => {
    node = await startNode();
    const signer = new Signer(node.client);
    const address = await signer.deploy(CALLEE);
    for (const path of ["/deep", "/native"]) {
      const hash = await run(signer, `jstz://${address}${path}`);
      const trace = await node.client.trace(hash);
      expect(trace!.trace!.call.error?.message).toMatch(/RangeError|call stack/);
      expect(await debug<ProfileReport>("profile", { hash })).toMatchObject({
        gas: gasOf(trace!.trace!.call),
      });
    }
  });

  it("shows lines of the original source, by a map that came beside the code", async () => {
    node = await startNode();
    const signer = new Signer(node.client);
    const { outputFiles } = await build({
      stdin: { contents: SOURCE, loader: "ts", sourcefile: "double.ts" },
      format: "esm",
      minify: true,
      sourcemap: "external",
      outfile: "out.js",
      write: false,
    });
    const [map, code] = [".map", ".js"].map(
      (end) => outputFiles.find(({ path }) => path.endsWith(end))!.text,
    );
    const address = await signer.deploy(code!);
    const hash = await run(signer, `jstz://${address}/?n=3`);
    const before = await debug<LineReport>("lines", { hash });
    expect(new Set(before.lines.map(({ source }) => source))).toEqual(new Set([`jstz://${address}`]));
    const sent = { address, sources: ["/work/double.ts"], map: gzipSync(map!).toString("base64") };
    expect(await debug("source-map", sent)).toEqual({});
    const { lines, gas } = await debug<LineReport>("lines", { hash });
    expect(gas).toBe(before.gas);
    expect(lines.map(({ source, line, text }) => `${source}:${line} ${text}`)).toEqual([
      "/work/double.ts:2 const double = (row: Row): number => {",
      "/work/double.ts:3   return row.n * 2;",
      '/work/double.ts:7   const row: Row = { n: Number(new URL(request.url).searchParams.get("n")) };',
      '/work/double.ts:8   Kv.set("n", row.n);',
      "/work/double.ts:9   return new Response(String(double(row)));",
    ]);
    for (const broken of [gzipSync("no map"), gzipSync('{"mappings":7}'), Buffer.from([0x1f, 0x8b, 1, 2])]) {
      await debug("source-map", { address, sources: ["/a.ts"], map: broken.toString("base64") });
      const shown = await debug<LineReport>("lines", { hash });
      expect(shown.lines[0]!.source).toBe(`jstz://${address}`);
    }
  });

  it("refuses strangers, and says what is wrong with a question", async () => {
    node = await startNode();
    const hash = "0".repeat(64);
    const codeOf = ({ error }: Failure): string => error.code;
    expect(codeOf(await debug("profile", { hash }, {}))).toBe("OWNER_ONLY");
    expect(codeOf(await debug("profile", { hash: "abc" }))).toBe("BAD_REQUEST");
    expect(codeOf(await debug("profile", []))).toBe("BAD_REQUEST");
    expect(codeOf(await debug("nothing", {}))).toBe("NOT_FOUND");
    expect(codeOf(await debug("profile", { hash }))).toBe("REPLAY_IMPOSSIBLE");
    expect(codeOf(await debug("source-map", { address: "KT1", sources: [] }))).toBe("BAD_REQUEST");
    expect(codeOf(await debug("places", { places: [] }, {}))).toBe("OWNER_ONLY");
    const address = "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ";
    const place = { address, line: 1, column: 1 };
    expect(codeOf(await debug("places", { places: Array(201).fill(place) }))).toBe("BAD_REQUEST");
    expect(codeOf(await debug("places", { places: [{ ...place, line: 0 }] }))).toBe("BAD_REQUEST");
    expect(await debug("places", { places: Array(200).fill(place) })).toEqual({
      places: Array(200).fill(null),
    });
    expect(codeOf(await debug("source-map", { address, sources: [1] }))).toBe("BAD_REQUEST");
    expect(codeOf(await debug("source-map", { address, sources: [], map: "AAAA" }))).toBe("BAD_REQUEST");
  });

  it("says that a record was dropped", async () => {
    node = await startNode({ history: 3 });
    const signer = new Signer(node.client);
    const address = await signer.deploy(CALLEE);
    const hash = await run(signer, `jstz://${address}/add?n=1`);
    for (let i = 0; i < 2; i++) await run(signer, `jstz://${address}/add?n=1`);
    expect(await debug<ProfileReport>("profile", { hash })).toMatchObject({ hash });
    for (let i = 0; i < 6; i++) await run(signer, `jstz://${address}/add?n=1`);
    expect(await debug<Failure>("profile", { hash })).toMatchObject({ error: { code: "REPLAY_IMPOSSIBLE" } });
  });
});

describe("the debugger's thread", () => {
  async function deployRecorded(code: string): Promise<{ runtime: RecordedRuntime; address: string }> {
    const runtime = new RecordedRuntime(await testEngine());
    return { runtime, address: runtime.deploy("a", code) };
  }

  it("is ended when a replay takes too long, and the next question gets another", async () => {
    const { runtime, address } = await deployRecorded(CALLEE);
    const hash = runtime.send("a", runContent(`jstz://${address}/add?n=1`));
    const options = { directory: engineDirectory(), ...runtime.debuggerOptions };
    const impatient = openDebugger({ ...options, patienceMs: 1 });
    await expect(impatient.perform("profile", { hash })).rejects.toMatchObject({ code: "REPLAY_LIMIT" });
    await expect(impatient.perform("profile", { hash })).rejects.toMatchObject({ code: "REPLAY_LIMIT" });
    const patient = openDebugger(options);
    expect(JSON.parse(await patient.perform("profile", { hash }))).toMatchObject({ hash });
    patient.close();
    await expect(patient.perform("profile", { hash })).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
  });

  it("has few questions waiting", async () => {
    const { runtime, address } = await deployRecorded(CALLEE);
    const hash = runtime.send("a", runContent(`jstz://${address}/add?n=1`));
    const options = { directory: engineDirectory(), ...runtime.debuggerOptions };
    const opened = openDebugger(options);
    const asked = await Promise.allSettled(
      Array.from({ length: 10 }, () => opened.perform("lines", { hash })),
    );
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(8);
    expect(asked.at(-1)).toMatchObject({ reason: { code: "SANDBOX_BUSY" } });
    opened.close();
  });

  it("sees the state before an operation, though the ledger changes while it is sent", async () => {
    const { runtime, address } = await deployRecorded(OUTSIDE);
    const writes = Array.from({ length: 5_000 }, (_, i) => ["value", address, `k${i}`, "1"] as const);
    runtime.core.amend({ writes, removed: [] });
    const hash = runtime.send("a", runContent(`jstz://${address}/count`));
    const options = { directory: engineDirectory(), ...runtime.debuggerOptions };
    const opened = openDebugger(options);
    const asked = opened.perform("lines", { hash });
    for (let i = 0; i < 30; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      runtime.send("b", runContent(`jstz://${address}/count`));
    }
    expect(JSON.parse(await asked)).toMatchObject({ hash }); // otherwise REPLAY_DIFFERS
    opened.close();
  });

  it("gives up when a snapshot undoes the operation meanwhile", async () => {
    const { runtime, address } = await deployRecorded(OUTSIDE);
    const writes = Array.from({ length: 5_000 }, (_, i) => ["value", address, `k${i}`, "1"] as const);
    runtime.core.amend({ writes, removed: [] });
    const snapshot = runtime.store.snapshot();
    const hash = runtime.send("a", runContent(`jstz://${address}/count`));
    const options = { directory: engineDirectory(), ...runtime.debuggerOptions };
    const opened = openDebugger(options);
    const asked = opened.perform("lines", { hash });
    asked.catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    runtime.core.hold();
    runtime.core.restore(snapshot, 0);
    runtime.core.release();
    await expect(asked).rejects.toMatchObject({ code: "REPLAY_IMPOSSIBLE" });
    opened.close();
  });
});
