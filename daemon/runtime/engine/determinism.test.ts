import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { type Engine, FIXED_NOW, loadEngine } from "./engine.ts";
import type { GuestHost } from "./host-ops.ts";
import { type EngineManifest, SNAPSHOT_FILE, WASM_FILE } from "./manifest.ts";
import { randomBytes } from "./seeded-random.ts";
import { buildSnapshot } from "./snapshot-builder.ts";
import { builtEngine } from "./test-engine.ts";

const HOST: GuestHost = { op: () => undefined, fetch: () => undefined };

const WORK = `export default async () => {
  const words = "the quick brown fox jumps over the lazy dog".split(" ");
  const map = new Map(words.map((w, i) => [w, i])); const sorted = [...map].sort(([a], [b]) => a < b ? -1 : 1);
  const random = crypto.getRandomValues(new Uint8Array(8));
  return Response.json([sorted, Math.random(), Date.now(), [...random], crypto.randomUUID(), /(\\w+) \\1/.test("a a"), String(2n ** 200n)]);
};`;

function run(engine: Engine, seed = "op1"): { body: string; gas: number } {
  const call = engine.open(WORK, "jstz://KT1", { gas: 5_000_000, now: FIXED_NOW, seed });
  const step = call.invoke(HOST, { url: "jstz://KT1/", method: "GET", headers: [], body: null });
  call.close();
  if (step.kind !== "response") throw new Error(JSON.stringify(step));
  return { body: String(step.response.body), gas: call.gasUsed() };
}

describe("determinism", () => {
  let directory: string;
  let manifest: EngineManifest;
  beforeAll(async () => {
    directory = await builtEngine();
    manifest = JSON.parse(await readFile(join(directory, "engine.json"), "utf8")) as EngineManifest;
  }, 60_000);

  it("gives the same answer and gas in two engines, on new and used instances", async () => {
    const [first, second] = [await loadEngine({ directory }), await loadEngine({ directory })];
    while (second.warm());
    const results = [run(first), run(first), run(second), run(second)];
    for (const result of results) expect(result).toEqual(results[0]);
  });

  it("derives random bytes from the operation alone", async () => {
    const engine = await loadEngine({ directory });
    expect(run(engine, "op1")).toEqual(run(engine, "op1"));
    expect(run(engine, "op2").body).not.toBe(run(engine, "op1").body);
  });

  it("gives the same random bytes in pieces of any size", () => {
    const whole = randomBytes("seed", 0, 100);
    const pieces = [randomBytes("seed", 0, 7), randomBytes("seed", 7, 60), randomBytes("seed", 67, 33)];
    expect(Buffer.concat(pieces)).toEqual(Buffer.from(whole));
  });

  it("names wasm and snapshot in the manifest by their hashes", async () => {
    const hash = async (file: string): Promise<string> =>
      createHash("sha256")
        .update(await readFile(join(directory, file)))
        .digest("hex");
    expect(await hash(WASM_FILE)).toBe(manifest.wasmSha256);
    expect(await hash(SNAPSHOT_FILE)).toBe(manifest.snapshotSha256);
    expect(manifest.gasTable).toContain(manifest.wasmSha256.slice(0, 8));
  });

  it("builds the same snapshot from the same sources every time", async () => {
    const wasm = new Uint8Array(await readFile(join(directory, WASM_FILE)));
    const prelude =
      "globalThis.__control = { check() {}, settle() {}, invoke() {}, run() {}, deliver() {} };";
    const strict = "delete globalThis.Iterator;";
    const once = buildSnapshot(wasm, prelude, strict, "test");
    const again = buildSnapshot(wasm, prelude, strict, "test");
    expect(again.manifest).toEqual(once.manifest);
    expect(Buffer.compare(again.bytes, once.bytes)).toBe(0);
    expect(Buffer.compare(again.strict, once.strict)).toBe(0);
  });
});
