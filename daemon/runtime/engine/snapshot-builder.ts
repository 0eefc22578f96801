// Builds the base image: a QuickJS context in which the prelude has run. Called by the build tool, in Node, once per
// change of the wasm or the prelude.

import { createHash } from "node:crypto";

import { GAS_SCHEDULE_VERSION } from "./gas-schedule.ts";
import { GuestError } from "./guest-error.ts";
import { operationOf } from "./host-ops.ts";
import { GUEST_MEMORY_BYTES, GUEST_STACK_BYTES, MAX_PAGES } from "./limits.ts";
import type { ControlHandles, EngineManifest } from "./manifest.ts";
import { difference, imageOf, MARKS_LENGTH, usedLength } from "./memory-image.ts";
import { pureOperation } from "./pure-operations.ts";
import { PRELUDE_FILE } from "./stack-trace.ts";
import { packDifference } from "./strict-image.ts";
import { Vm } from "./vm.ts";

/** The guests' default clock; also the image's time origin. */
const FIXED_NOW = 1_530_380_397_121;

const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");

function startVm(module: WebAssembly.Module): Vm {
  const vm = new Vm(module, {
    call: ([name, a, b, c]) => {
      const operation = operationOf(String(name));
      if (operation?.by === "pure") return pureOperation(operation.name, a, b, c);
      throw new GuestError("TypeError", `${String(name)} depends on more than its arguments`);
    },
    now: () => FIXED_NOW,
    interrupted: () => false,
    imported: () => undefined,
  });
  vm.memory.setMaxPages(MAX_PAGES);
  vm.initialize({ memoryBytes: GUEST_MEMORY_BYTES, stackBytes: GUEST_STACK_BYTES });
  return vm;
}

interface Snapshot {
  /** The base image. */
  readonly bytes: Uint8Array;
  /** What the strict image has in other places, packed. */
  readonly strict: Uint8Array;
  readonly manifest: EngineManifest;
}

/** @param strictPrelude what the strict image has run besides the prelude */
export function buildSnapshot(
  wasm: Uint8Array<ArrayBuffer>,
  prelude: string,
  strictPrelude: string,
  engineVersion: string,
): Snapshot {
  const module = new WebAssembly.Module(wasm);
  // Compiled in another instance, so that source text and compiler leave no holes in the image's heap.
  const compiler = startVm(module);
  const bytecode = compiler.compile(prelude, PRELUDE_FILE);
  const vm = startVm(module);
  vm.installHostFunction("__hostOp");
  vm.exports.qjs_free_value(vm.evaluateBytecode(bytecode));
  vm.runJobs();
  const global = vm.exports.qjs_get_global();
  const object = vm.property(global, "__control");
  const names = ["check", "settle", "invoke", "run", "deliver", "ring"] as const;
  const control = Object.fromEntries(
    names.map((name) => [name, vm.property(object, name)]),
  ) as unknown as ControlHandles;
  vm.exports.qjs_free_value(object);
  vm.exports.qjs_free_value(global);
  vm.exports.qjs_free_value(
    vm.evaluateBytecode(compiler.compile("delete globalThis.__control", PRELUDE_FILE)),
  );
  vm.exports.qjs_run_gc();
  const bytes = vm.memory.contents().slice(0, usedLength(vm.memory.contents())).fill(0, 0, MARKS_LENGTH);
  const state = vm.memory.state();
  vm.exports.qjs_free_value(vm.evaluateBytecode(compiler.compile(strictPrelude, PRELUDE_FILE)));
  // Without a collection, which would touch every object: what was taken away stays until the guest's first one.
  const strict = packDifference(difference(imageOf(state, bytes), vm.memory.contents(), vm.memory.state()));
  const wasmSha256 = sha256(wasm);
  return {
    bytes,
    strict,
    manifest: {
      gasTable: `${GAS_SCHEDULE_VERSION}-quickjs-wasi-${engineVersion}-${wasmSha256.slice(0, 8)}`,
      wasmSha256,
      snapshotSha256: sha256(bytes),
      preludeSha256: sha256(prelude),
      state,
      strictState: vm.memory.state(),
      scratch: vm.memory.scratch,
      control,
    },
  };
}

export { KEPT_EXPORTS } from "./wasm-exports.ts";
