// The imports that an instance's wasm needs from its host.

import type { InstanceMemory } from "./instance-memory.ts";
import { STACK_BOTTOM } from "./limits.ts";
import { markWritten } from "./memory-marks.ts";
import { wasiStubs } from "./wasi-stubs.ts";
import type { Pointer, WasmExports } from "./wasm-exports.ts";

/** Called for each `hostOp(...)` of the guest with its arguments: strings, byte arrays, or undefined. */
export type HostCall = (
  values: readonly (string | Uint8Array | undefined)[],
) => string | Uint8Array | undefined;

/** Queries of an instance to its owner during a run. */
export interface VmHost {
  call: HostCall;
  /** The guest's clock, in milliseconds since 1970. */
  now: () => number;
  /** True stops the guest with an error that it cannot catch. */
  interrupted: () => boolean;
  /** An import statement or expression was found. */
  imported: (specifier: string) => void;
}

/** The instance as its imports need it; complete only once the instance exists. */
interface ImportedInstance {
  host(): VmHost;
  exports(): WasmExports;
  memory(): InstanceMemory;
  call(count: number, argv: Pointer): Pointer;
  /** Called by a module with hooks only. */
  readonly bytecode: (pc: number) => void;
  readonly thrown: (value: bigint) => void;
}

/** The module in the place of every imported one: `import()` rejects with an error that programs can read. */
const IMPORTED = 'throw new TypeError("Import specifiers are not supported");';

export function vmImports(instance: ImportedInstance): WebAssembly.Imports {
  function textAt(pointer: Pointer): string {
    const bytes = instance.memory().bytes();
    return bytes.toString("utf8", pointer, bytes.indexOf(0, pointer));
  }

  /** The memory, for the host to write there. */
  function writableBytes(pointer: Pointer, length: number): Buffer {
    if (pointer < STACK_BOTTOM) throw new Error("the engine's stack is damaged");
    const bytes = instance.memory().bytes();
    markWritten(bytes, pointer, length);
    return bytes;
  }

  return {
    env: {
      host_call: (_name: Pointer, _nameLength: number, _self: Pointer, count: number, argv: Pointer) =>
        instance.call(count, argv),
      host_interrupt: () => (instance.host().interrupted() ? 1 : 0),
      host_promise_rejection: (promise: Pointer, reason: Pointer) => {
        instance.exports().qjs_free_value(promise);
        instance.exports().qjs_free_value(reason);
      },
      host_module_normalize: (_base: Pointer, name: Pointer) =>
        instance.memory().writeText(textAt(name)).pointer,
      host_module_load: (name: Pointer, outLength: Pointer) => {
        instance.host().imported(textAt(name));
        const { pointer, length } = instance.memory().writeText(IMPORTED);
        writableBytes(outLength, 4).writeUInt32LE(length, outLength);
        return pointer; // the engine frees it
      },
      watch_bytecode: instance.bytecode,
      watch_throw: instance.thrown,
      // Local time is UTC for every guest on every machine.
      host_get_timezone_offset: () => 0,
    },
    wasi_snapshot_preview1: wasiStubs({
      now: () => instance.host().now(),
      written: writableBytes,
    }),
  };
}
