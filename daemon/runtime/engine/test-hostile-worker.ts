// The worker of hostile.test.ts: alternates hostile and innocent programs on one pool of instances.

import { parentPort, workerData } from "node:worker_threads";

import { createGuestCall, type GuestStep } from "./guest-call.ts";
import { GuestRun } from "./guest-run.ts";
import type { GuestHost } from "./host-ops.ts";
import { InstancePool } from "./instance-pool.ts";
import { GAS_RESERVE } from "./limits.ts";
import { readEngineFiles } from "./manifest.ts";
import { MARKS_LENGTH } from "./memory-image.ts";
import { hostilePrograms } from "./test-hostile-programs.ts";
import type { Vm } from "./vm.ts";

export type HostileWork =
  | { readonly kind: "generated"; readonly count: number; readonly seed: number }
  | { readonly kind: "swap" }
  | { readonly kind: "bounds" }
  | { readonly kind: "memory" };
export type HostileTask = HostileWork & { readonly directory: string; readonly strict: boolean };

export interface HostileReport {
  readonly ran: number;
  /** Programs after which memory differed from the image. */
  readonly differences: string[];
  /** Programs after which an innocent call gave another answer, with that answer. */
  readonly wrongAnswers: string[];
  /** Differences that the pool itself found after a restore. */
  readonly faults: string[];
  /** Number of programs by their way of ending. */
  readonly ends: Record<string, number>;
  readonly reused: number;
  readonly discarded: number;
  readonly live: number;
}

/** Enough to build the nested constructs; a generated program that never ends should not take long. */
const GAS = { generated: 8_000_000, swap: 60_000_000, bounds: 60_000_000, memory: 200_000_000 };
const INNOCENT = `export default async (request) => {
  const n = parseInt(new URL(request.url).searchParams.get("n"));
  const h = new Headers({ b: "1", a: "2" });
  const text = await new Response("x").text();
  return Response.json([n, [...h], [3, 1, 2].sort(), text, typeof evil, "evil" in {}, "a-b".split("-"), [1].values().map(x => x).next().value, typeof crypto]);
};`;

const task = workerData as HostileTask;
const CRYPTO = task.strict ? "undefined" : "object";
const ANSWER = `[6,[["a","2"],["b","1"]],[1,2,3],"x","undefined",false,["a","b"],1,"${CRYPTO}"]`;
const usual = await readEngineFiles(task.directory);
const files = task.strict ? { ...usual, base: usual.strict() } : usual;
const faults: string[] = [];
const pool = new InstancePool(files, ({ found }) => faults.push(found));
const report = { ran: 0, differences: [] as string[], wrongAnswers: [] as string[], reused: 0, discarded: 0 };
const ends: Record<string, number> = {};

const host: GuestHost = { op: () => undefined, fetch: () => undefined };
const request = { url: "jstz://KT1Test/?n=6*7", method: "GET", headers: [], body: null };

/** Compares an instance with the base image, byte for byte, without the pool's code. */
function isBase(vm: Vm): boolean {
  const memory = Buffer.from(vm.exports.memory.buffer);
  const { bytes, ...state } = files.base;
  const { stackPointer, pages, runtime, context } = vm.memory.state();
  return (
    memory.subarray(MARKS_LENGTH, bytes.length).equals(bytes.subarray(MARKS_LENGTH)) &&
    isZero(memory, bytes.length) &&
    stackPointer === state.stackPointer &&
    pages === state.pages &&
    runtime === state.runtime &&
    context === state.context
  );
}

const ZEROS = Buffer.alloc(1 << 20);
function isZero(memory: Buffer, from: number): boolean {
  for (let at = from; at < memory.length; at += ZEROS.length) {
    const part = memory.subarray(at, at + ZEROS.length);
    if (!part.equals(ZEROS.subarray(0, part.length))) return false;
  }
  return true;
}

let last: Vm | undefined;

function run(code: string, before: string): GuestStep {
  const vm = pool.lease();
  if (vm === last) report.reused += 1;
  if (!isBase(vm)) report.differences.push(before);
  const gas = GAS[task.kind];
  const options = { gas, now: 1_530_380_397_121, seed: "s" };
  const guest = new GuestRun(vm, options, () => undefined);
  vm.host = guest;
  vm.gas = gas + GAS_RESERVE;
  const call = createGuestCall({
    vm,
    run: guest,
    options,
    raisedBy: 0,
    control: files.manifest.control,
    start: { kind: "evaluate" },
    code,
    specifier: "jstz://KT1Test",
    release: () => pool.release(vm),
  });
  const step = call.invoke(host, request);
  const { retired } = pool;
  call.close();
  report.discarded += pool.retired - retired;
  last = vm;
  return step;
}

function attack(code: string): void {
  report.ran += 1;
  const step = run(code, "an innocent call");
  const end = step.kind === "failure" ? step.code : step.kind;
  ends[end] = (ends[end] ?? 0) + 1;
  const answer = run(INNOCENT, code);
  const text = answer.kind === "response" ? String(answer.response.body) : JSON.stringify(answer);
  if (text !== ANSWER) report.wrongAnswers.push(`${text} after ${code}`);
}

const nest = (depth: number, step: string): string =>
  `let it = [1].values(); for (let i = 0; i < ${depth}; i++) it = it.${step};`;

switch (task.kind) {
  case "generated":
    for (const code of hostilePrograms(task.count, task.seed)) attack(code);
    break;
  case "swap":
    for (const step of ["map(x => x)", "flatMap(x => [x])", "filter(() => true)"])
      for (let depth = 1_000; depth < 30_000; depth += depth > 20_000 ? 683 : 3_100)
        attack(`export default () => {
          [globalThis.parseInt, globalThis.eval] = [eval, parseInt];
          ${nest(depth, step)}
          try { (function go(n) { return n ? go(n - 1) : it.next() })(1) } catch { }
          return new Response("done");
        }`);
    break;
  case "memory":
    for (const grow of ["a.push(new Array(999).fill(a))", "a.push(new Uint8Array(1e5).fill(7))"])
      attack(`export default () => { globalThis.evil = []; const a = evil; for (;;) ${grow}; }`);
    break;
  case "bounds":
    for (let index = 0; index < 100; index += 1)
      attack(
        `export default () => { ${nest(30_000, "map(x => x)")} try { it.next() } catch { } return new Response("done"); }`,
      );
}

const done: HostileReport = { ...report, faults, ends, live: pool.live };
parentPort?.postMessage(done);
