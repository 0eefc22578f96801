// A map that forgets its oldest entries when it has too many or they are too large together.

export interface Bounds {
  readonly entries: number;
  /** Sum of the sizes of all entries, in the unit in which the user of the map measures them. */
  readonly size: number;
}

export class BoundedMap<Value> {
  readonly #entries = new Map<
    string,
    { readonly value: Value; readonly size: number; readonly number: number }
  >();
  readonly #bounds: Bounds;
  #size = 0;
  /** Entries ever set. */
  #count = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Sets a value as the newest entry. A value larger than the bound is kept until the next one comes. */
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

  /** The present moment, for `forgetSince`. */
  get mark(): number {
    return this.#count;
  }

  /** Forgets what was set after a moment. What was forgotten or replaced since does not come back. */
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
