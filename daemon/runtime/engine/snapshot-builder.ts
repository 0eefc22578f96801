// Makes the base image: a QuickJS context in which the prelude has run. Called by the build tool, in Node, once per
// change of the wasm or the prelude.

import { createHash } from "node:crypto";

import { GAS_SCHEDULE_VERSION } from "./gas-schedule.ts";
import { GUEST_MEMORY_BYTES, GUEST_STACK_BYTES, MAX_PAGES } from "./limits.ts";
import type { ControlHandles, EngineManifest } from "./manifest.ts";
import { usedLength } from "./memory-image.ts";
import { pureOperation } from "./pure-operations.ts";
import { takeImage, Vm } from "./vm.ts";

/** The clock that guests see unless a call says otherwise; also the image's time origin. */
const FIXED_NOW = 1_530_380_397_121;

const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");

/** @returns the base image's bytes and the manifest for the three files */
export function buildSnapshot(
  wasm: Uint8Array<ArrayBuffer>,
  prelude: string,
  engineVersion: string,
): { bytes: Uint8Array; manifest: EngineManifest } {
  const vm = new Vm(new WebAssembly.Module(wasm), {
    call: ([name, a, b, c]) => pureOperation(String(name), a, b, c),
    now: () => FIXED_NOW,
    interrupted: () => false,
    imported: () => undefined,
  });
  vm.setMaxPages(MAX_PAGES);
  vm.initialize({ memoryBytes: GUEST_MEMORY_BYTES, stackBytes: GUEST_STACK_BYTES });
  vm.installHostFunction("__hostOp");
  vm.exports.qjs_free_value(vm.evaluateStripped(prelude, "functez:prelude"));
  vm.runJobs();
  const global = vm.exports.qjs_get_global();
  const object = vm.property(global, "__control");
  const names = ["check", "settle", "invoke", "run", "deliver"] as const;
  const control = Object.fromEntries(
    names.map((name) => [name, vm.property(object, name)]),
  ) as unknown as ControlHandles;
  vm.exports.qjs_free_value(object);
  vm.exports.qjs_free_value(global);
  vm.exports.qjs_free_value(vm.evaluateStripped("delete globalThis.__control", "functez:prelude"));
  vm.exports.qjs_run_gc();
  const image = takeImage(vm, usedLength);
  const { bytes, ...state } = image;
  const wasmSha256 = sha256(wasm);
  return {
    bytes,
    manifest: {
      gasTable: `${GAS_SCHEDULE_VERSION}-quickjs-wasi-${engineVersion}-${wasmSha256.slice(0, 8)}`,
      wasmSha256,
      snapshotSha256: sha256(bytes),
      preludeSha256: sha256(prelude),
      state,
      scratch: vm.scratch,
      control,
    },
  };
}

export { KEPT_EXPORTS } from "./wasm-exports.ts";
