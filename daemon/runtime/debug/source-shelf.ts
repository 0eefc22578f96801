// The source shelf: source maps of deployed functions, by address. They come beside the code, so that code and address
// stay what they are. Bounded: what was deployed the longest ago goes first.
import type { ShelvedSource } from "./debug-messages.ts";

const MAX_SHELF_BYTES = 64 * 1024 * 1024;
/** Counted for each entry in addition to its map. */
const OVERHEAD = 1_024;

export class SourceShelf {
  readonly #maxBytes: number;
  /** The oldest first. */
  readonly #byAddress = new Map<string, ShelvedSource>();
  #bytes = 0;

  constructor(maxBytes = MAX_SHELF_BYTES) {
    this.#maxBytes = maxBytes;
  }

  put(address: string, source: ShelvedSource): void {
    this.#drop(address);
    this.#byAddress.set(address, source);
    this.#bytes += bytesOf(source);
    for (const oldest of this.#byAddress.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === address) break;
      this.#drop(oldest);
    }
  }

  get all(): ReadonlyMap<string, ShelvedSource> {
    return this.#byAddress;
  }

  #drop(address: string): void {
    const source = this.#byAddress.get(address);
    if (source === undefined) return;
    this.#bytes -= bytesOf(source);
    this.#byAddress.delete(address);
  }
}

const bytesOf = ({ map, sources }: ShelvedSource): number =>
  OVERHEAD + (map?.length ?? 0) + sources.reduce((sum, source) => sum + source.length, 0);
