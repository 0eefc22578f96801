// A map that forgets its oldest entries when they are too many or too large together.
import { Deque } from "../../parts/deque.ts";

export interface Bounds {
  readonly entries: number;
  /** Limit of the sum of all sizes, in the unit that callers of `set` use. */
  readonly size: number;
}

interface Entry<Value> {
  readonly key: string;
  /** Undefined once it is forgotten or replaced. */
  value: Value | undefined;
  readonly size: number;
  readonly number: number;
}

/** Replaced entries that may be in the order besides those of the map. */
const MAX_REPLACED = 1_000;

export class BoundedMap<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  /** The entries in the order in which they were set, and some that were replaced. */
  readonly #order = new Deque<Entry<Value>>();
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
    const replaced = this.#entries.get(key);
    if (replaced !== undefined) this.#forget(replaced);
    const entry: Entry<Value> = { key, value, size, number: ++this.#count };
    this.#entries.set(key, entry);
    this.#order.push(entry);
    this.#size += size;
    while (this.#entries.size > 1 && this.#isFull()) this.#forget(this.#order.shift()!);
    if (this.#order.size > 2 * this.#entries.size + MAX_REPLACED)
      this.#order.keep((kept) => kept.value !== undefined);
  }

  #isFull(): boolean {
    return this.#entries.size > this.#bounds.entries || this.#size > this.#bounds.size;
  }

  /** The current position, for `forgetSince`. */
  get mark(): number {
    return this.#count;
  }

  /** Forgets entries set after a mark. Entries forgotten or replaced since do not come back. */
  forgetSince(mark: number): void {
    while ((this.#order.newest?.number ?? 0) > mark) this.#forget(this.#order.pop()!);
  }

  #forget(entry: Entry<Value>): void {
    if (entry.value === undefined) return;
    entry.value = undefined;
    this.#size -= entry.size;
    this.#entries.delete(entry.key);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The newest values, newest first. */
  newest(limit: number): Value[] {
    const found: Value[] = [];
    for (const { value } of this.#order.newestFirst()) {
      if (found.length >= limit) break;
      if (value !== undefined) found.push(value);
    }
    return found;
  }
}
