// A map that forgets its oldest entries when they are too many or too large together.

export interface Bounds {
  readonly entries: number;
  /** Limit of the sum of all sizes, in the unit that callers of `set` use. */
  readonly size: number;
}

export class BoundedMap<Value> {
  readonly #entries = new Map<
    string,
    { readonly value: Value; readonly size: number; readonly number: number }
  >();
  readonly #bounds: Bounds;
  #size = 0;
  /** Number of entries ever set. */
  #count = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Sets a value as the newest entry. A value larger than the limit is kept until the next one is set. */
  set(key: string, value: Value, size: number): void {
    this.#delete(key);
    this.#entries.set(key, { value, size, number: ++this.#count });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#bounds.entries && this.#size <= this.#bounds.size) return;
      if (oldest === key) return;
      this.#delete(oldest);
    }
  }

  /** The current position, for `forgetSince`. */
  get mark(): number {
    return this.#count;
  }

  /** Forgets entries set after a mark. Entries forgotten or replaced since do not come back. */
  forgetSince(mark: number): void {
    const late = [...this.#entries].filter(([, { number }]) => number > mark);
    for (const [key] of late) this.#delete(key);
  }

  #delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#size -= entry.size;
    this.#entries.delete(key);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The newest values, newest first. */
  newest(limit: number): Value[] {
    const all = [...this.#entries.values()];
    return all
      .slice(Math.max(0, all.length - limit))
      .reverse()
      .map(({ value }) => value);
  }
}
