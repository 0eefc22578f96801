import { beforeAll, describe, expect, it } from "vitest";

import { InstancePool, type RestoreFault } from "./instance-pool.ts";
import { RESTORES_PER_CHECK, RETIRE_BYTES, STACK_BOTTOM } from "./limits.ts";
import { type EngineFiles, readEngineFiles } from "./manifest.ts";
import { MARKS_LENGTH, WASM_PAGE } from "./memory-image.ts";
import { builtEngine } from "./test-engine.ts";
import type { Vm } from "./vm.ts";

let files: EngineFiles;
beforeAll(async () => {
  files = await readEngineFiles(await builtEngine());
}, 60_000);

function start(): { pool: InstancePool; faults: RestoreFault[] } {
  const faults: RestoreFault[] = [];
  return { pool: new InstancePool(files, (fault) => faults.push(fault)), faults };
}

/** Changes a byte without a mark, which no program should be able to do. */
function damage(vm: Vm, at: number): void {
  new Uint8Array(vm.exports.memory.buffer)[at]! ^= 1;
}

const SOMEWHERE = 1_500_000;

describe("an instance", () => {
  it("is reused from call to call", () => {
    const { pool, faults } = start();
    const vm = pool.lease();
    pool.release(vm);
    expect(pool.lease()).toBe(vm);
    expect([pool.live, pool.retired, faults]).toEqual([1, 0, []]);
  });

  it("changed without a mark is found by the regular comparison, reported, and not reused", () => {
    const { pool, faults } = start();
    const damaged = pool.lease();
    damage(damaged, SOMEWHERE);
    pool.release(damaged);
    let found = 0;
    for (let call = 1; call <= RESTORES_PER_CHECK + 1; call += 1) {
      const vm = pool.lease();
      if (found === 0 && faults.length > 0) found = call;
      if (found > 0) expect(vm).not.toBe(damaged);
      pool.release(vm);
    }
    expect(found).toBeGreaterThan(0);
    expect(faults).toEqual([{ code: "RESTORE_DIFFERS", found: "memory differs" }]);
    expect(pool.retired).toBe(1);
  });

  it.each([
    ["memory", (vm: Vm) => damage(vm, SOMEWHERE)],
    ["the unused end of the image's last page", (vm: Vm) => damage(vm, files.base.pages * WASM_PAGE - 1)],
    ["the stack", (vm: Vm) => damage(vm, STACK_BOTTOM + 8)],
    ["the room below the stack", (vm: Vm) => damage(vm, MARKS_LENGTH + 8)],
  ])("whose run was stopped is compared at once: %s", (_, change) => {
    const { pool, faults } = start();
    const vm = pool.lease();
    change(vm);
    vm.memory.trust = "checked";
    pool.release(vm);
    expect(pool.lease()).not.toBe(vm);
    expect(faults).toEqual([{ code: "RESTORE_DIFFERS", found: "memory differs" }]);
  });

  it("whose run was stopped is reused when it equals its image", () => {
    const { pool, faults } = start();
    const vm = pool.lease();
    vm.memory.trust = "checked";
    pool.release(vm);
    expect(pool.lease()).toBe(vm);
    expect([vm.memory.trust, faults]).toEqual(["full", []]);
  });

  it.each([0, 7, MARKS_LENGTH / 1024 - 1, MARKS_LENGTH / 1024, STACK_BOTTOM / 1024 - 1])(
    "with a mark of block %i, below the stack, is not reused",
    (block) => {
      const { pool, faults } = start();
      const vm = pool.lease();
      new Uint8Array(vm.exports.memory.buffer)[block] = 1;
      pool.release(vm);
      expect(pool.lease()).not.toBe(vm);
      expect(faults).toEqual([{ code: "RESTORE_DIFFERS", found: "written below the stack" }]);
    },
  );

  it("that failed is not reused, and its successor exists before the next call", () => {
    const { pool } = start();
    const vm = pool.lease();
    vm.memory.trust = "none";
    pool.release(vm);
    expect([pool.live, pool.retired]).toEqual([0, 1]);
    expect(pool.idleBytes).toBeGreaterThan(0);
    expect(pool.lease()).not.toBe(vm);
  });

  it("that swelled is not reused", () => {
    const { pool } = start();
    const vm = pool.lease();
    vm.exports.memory.grow(RETIRE_BYTES / WASM_PAGE);
    pool.release(vm);
    expect(pool.lease()).not.toBe(vm);
  });

  it("is released once, however often that is asked", () => {
    const { pool } = start();
    const vm = pool.lease();
    pool.discard(vm);
    pool.discard(vm);
    pool.release(vm);
    expect([pool.live, pool.retired]).toEqual([0, 1]);
    expect(pool.lease()).not.toBe(vm);
  });
});
