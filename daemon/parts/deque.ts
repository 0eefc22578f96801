// A list that grows at its end and shrinks at both ends. The oldest entry of a Map is not quick to find: its iterator
// steps over all that was deleted before it; and `shift` of an array moves what is left.

/** Dropped places that may stay in front: together with as many entries they are cut off at once. */
const MIN_CUT = 1_000;

export class Deque<T extends object> {
  #items: (T | undefined)[] = [];
  /** Those before it are dropped. */
  #first = 0;

  get size(): number {
    return this.#items.length - this.#first;
  }

  get newest(): T | undefined {
    return this.size === 0 ? undefined : this.#items[this.#items.length - 1];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Takes the oldest. */
  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#first];
    this.#items[this.#first++] = undefined;
    if (this.#first > MIN_CUT && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  /** Takes the newest. */
  pop(): T | undefined {
    return this.size === 0 ? undefined : this.#items.pop();
  }

  *newestFirst(): Generator<T, void> {
    for (let i = this.#items.length - 1; i >= this.#first; i--) yield this.#items[i]!;
  }

  /** Items from a distance to the newest on, newest first. */
  slice(offset: number, limit: number): T[] {
    const end = Math.max(this.#first, this.#items.length - offset);
    return (this.#items.slice(Math.max(this.#first, end - limit), end) as T[]).reverse();
  }

  /** Keeps only some, in their order. */
  keep(isKept: (item: T) => boolean): void {
    this.#items = this.#items.filter((item, i) => i >= this.#first && isKept(item!));
    this.#first = 0;
  }
}
