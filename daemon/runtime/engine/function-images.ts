// Images of smart functions after their top level ran, so that a call need not evaluate the module again.
//
// Programs observe the real runtime's rule: the module is evaluated for every call. An image replaces that only where
// no program can tell: the top level finished, asked nothing of the host (no Kv, Ledger, console, fetch), and if it
// read the clock, the clock shows the same time. Each call pays the same gas for the evaluation, with or without an
// image. Modules that do not qualify are evaluated on each call.

import type { Failure } from "./guest-run.ts";
import { FUNCTION_CACHE_BYTES } from "./limits.ts";
import type { ImageDifference } from "./memory-image.ts";

export type FunctionImage =
  | {
      readonly kind: "image";
      readonly over: ImageDifference;
      /** Gas of the evaluation. */
      readonly gas: number;
      /** The time that the top level read, if it did. */
      readonly now: number | undefined;
    }
  | { readonly kind: "evaluate" };

/** Start of a call. `exhausted`: its gas does not even cover the evaluation, which ended there. */
export type CallStart = FunctionImage | { readonly kind: "exhausted"; readonly failure: Failure };

interface Entry {
  readonly image: FunctionImage;
  readonly bytes: number;
}

/** Least-recently-used images by code and address, within a budget of bytes. */
export class FunctionImages {
  readonly #byCode = new Map<string, Map<string, Entry>>();
  /** Recency order over all entries: code and address, oldest first. */
  readonly #order = new Map<Entry, readonly [string, string]>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#order.size;
  }

  find(code: string, address: string): FunctionImage | undefined {
    const entry = this.#byCode.get(code)?.get(address);
    if (entry === undefined) return undefined;
    this.#order.delete(entry);
    this.#order.set(entry, [code, address]);
    return entry.image;
  }

  keep(code: string, address: string, image: FunctionImage): void {
    this.drop(code, address);
    const bytes = (image.kind === "image" ? image.over.length : 0) + code.length + 256;
    const entry = { image, bytes };
    let addresses = this.#byCode.get(code);
    if (addresses === undefined) {
      addresses = new Map();
      this.#byCode.set(code, addresses);
    }
    addresses.set(address, entry);
    this.#order.set(entry, [code, address]);
    this.#bytes += bytes;
    for (const [oldest, [oldCode, oldAddress]] of this.#order) {
      if (this.#bytes <= FUNCTION_CACHE_BYTES || oldest === entry) break;
      this.drop(oldCode, oldAddress);
    }
  }

  drop(code: string, address: string): void {
    const addresses = this.#byCode.get(code);
    const entry = addresses?.get(address);
    if (addresses === undefined || entry === undefined) return;
    addresses.delete(address);
    if (addresses.size === 0) this.#byCode.delete(code);
    this.#order.delete(entry);
    this.#bytes -= entry.bytes;
  }
}
