// System calls of the engine's C library: the time of the call, constant "random" bytes, and no files.

import type { Pointer } from "./wasm-exports.ts";

const SUCCESS = 0;
const NOT_SUPPORTED = 52;
/** Seeds hash tables and the like; programs get random bytes from the prelude instead. */
const SEED_BYTE = 7;

export interface WasiHost {
  /** Milliseconds since 1970. */
  now(): number;
  /** The current linear memory; these bytes are about to be written. */
  written(pointer: Pointer, length: number): Buffer;
}

/** The wasi_snapshot_preview1 imports of QuickJS. */
export function wasiStubs(host: WasiHost): Record<string, (...values: never[]) => number> {
  const refuse = (): number => NOT_SUPPORTED;
  return {
    clock_time_get: (_id: number, _precision: bigint, out: Pointer) => {
      host.written(out, 8).writeBigUInt64LE(BigInt(Math.trunc(host.now())) * 1_000_000n, out);
      return SUCCESS;
    },
    random_get: (out: Pointer, length: number) => {
      host.written(out, length).fill(SEED_BYTE, out, out + length);
      return SUCCESS;
    },
    fd_close: refuse,
    fd_fdstat_get: refuse,
    fd_seek: refuse,
    fd_write: refuse,
  };
}
