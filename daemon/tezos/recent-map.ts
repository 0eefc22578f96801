// A map that forgets entries that were not used for a long time.

/**
 * Keeps at least the `size` entries set or read last, and at most twice as many. Uses two generations instead of a
 * recency list, so a read costs little more than a map lookup.
 */
export class RecentMap<V> {
  readonly #size: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  constructor(size: number) {
    this.#size = size;
  }

  get(key: string): V | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const kept = this.#old.get(key);
    if (kept !== undefined) this.set(key, kept);
    return kept;
  }

  set(key: string, value: V): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#size) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** The value of a key, made first when the map has none. What comes out as undefined is made again each time. */
  getOrMake(key: string, make: (key: string) => V): V;
  getOrMake(key: string, make: (key: string) => V | undefined): V | undefined;
  getOrMake(key: string, make: (key: string) => V | undefined): V | undefined {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    if (made !== undefined) this.set(key, made);
    return made;
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
