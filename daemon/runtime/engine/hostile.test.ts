// No program may change what a later call sees. Generated hostile programs run one after the other in one pool, in a
// worker with the stack that the engine asks for. Before every run the whole memory is compared with its image,
// independently of the pool's own check, and between runs an innocent call must give its answer.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { bundleForNode } from "../../../tools/bundle.mjs";
import { WORKER_STACK_MB } from "./limits.ts";
import { builtEngine } from "./test-engine.ts";
import type { HostileReport, HostileTask, HostileWork } from "./test-hostile-worker.ts";

const LONG = process.env["FUNCTEZ_LONG"] === "1";
const COUNT = LONG ? 20_000 : 200;
const SEED = LONG ? Date.now() % 1e9 : 20;

let folder: string;
let outfile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "functez-hostile-"));
  outfile = join(folder, "worker.mjs");
  await bundleForNode(join(import.meta.dirname, "test-hostile-worker.ts"), outfile);
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

async function perform(work: HostileWork, { strict = false } = {}): Promise<HostileReport> {
  const worker = new Worker(outfile, {
    workerData: { directory: await builtEngine(), strict, ...work } satisfies HostileTask,
    resourceLimits: { stackSizeMb: WORKER_STACK_MB },
  });
  try {
    return await new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
  } finally {
    await worker.terminate();
  }
}

describe("hostile programs", () => {
  it(
    `leave nothing behind: ${COUNT} programs`,
    async () => {
      const report = await perform({ kind: "generated", count: COUNT, seed: SEED });
      expect({ seed: SEED, ...report }).toMatchObject({ differences: [], wrongAnswers: [], faults: [] });
      expect(report.ran).toBe(COUNT);
      // The programs had their effect: some were stopped in every way, and some instances were discarded.
      expect(Object.keys(report.ends)).toEqual(
        expect.arrayContaining(["response", "GAS", "STACK", "THREW", "NEVER_SETTLED"]),
      );
      expect(report.discarded).toBeGreaterThan(COUNT / 100);
      expect(report.reused).toBeGreaterThan(COUNT / 4);
    },
    LONG ? 3_600_000 : 120_000,
  );

  it(
    "leave nothing behind in strict mode",
    async () => {
      const count = LONG ? COUNT : 12;
      const report = await perform({ kind: "generated", count, seed: SEED + 1 }, { strict: true });
      expect({ seed: SEED, ...report }).toMatchObject({ differences: [], wrongAnswers: [], faults: [] });
      expect(report.ran).toBe(count);
      expect(report.reused).toBeGreaterThan(count / 4);
    },
    LONG ? 3_600_000 : 60_000,
  );

  it("recursion of iterator helpers at any depth swaps no globals of the next call", async () => {
    const report = await perform({ kind: "swap" });
    expect(report).toMatchObject({ differences: [], wrongAnswers: [], faults: [] });
    expect(report.ends["STACK"]).toBeGreaterThan(10);
    expect(report.ends["response"]).toBeGreaterThan(10);
  }, 60_000);

  it("programs that use all memory leave none of it behind", async () => {
    const report = await perform({ kind: "memory" });
    expect(report).toMatchObject({ differences: [], wrongAnswers: [], faults: [], ends: { MEMORY: 2 } });
  }, 60_000);

  it("out-of-bounds calls, as many as may be live at once, release their room", async () => {
    const report = await perform({ kind: "bounds" });
    expect(report).toMatchObject({ differences: [], wrongAnswers: [], faults: [], live: 0 });
    expect(report.ends).toEqual({ STACK: 100 });
    expect(report.discarded).toBe(100);
  }, 60_000);
});
