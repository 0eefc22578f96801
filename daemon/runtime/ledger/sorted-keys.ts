// The sorted keys of one function, so that listing the children of a key need not check all of them. Created when a
// function's keys are first listed; later changes are merged by the next listing.

/** Up to this many changes are applied one by one; with more, all keys are sorted again on demand. */
const FEW = 64;

export class SortedKeys {
  #sorted: string[];
  /** Keys added or removed since the last listing. */
  #changed = new Set<string>();
  readonly #exists: (key: string) => boolean;

  /** @param exists whether a key currently has a value */
  constructor(keys: Iterable<string>, exists: (key: string) => boolean) {
    this.#sorted = [...keys].sort();
    this.#exists = exists;
  }

  /**
   * Records that a key got its first value or lost its value.
   * @returns false when so much has changed that this order is not worth keeping
   */
  changed(key: string): boolean {
    this.#changed.add(key);
    return this.#changed.size <= FEW;
  }

  /**
   * Immediate children of a key, in order; the empty string stands for the key itself. Undefined when there is neither a
   * value nor a child. Without a key: the first segments of all keys.
   */
  subkeys(key: string | undefined): string[] | undefined {
    this.#settle();
    const keys = this.#sorted;
    const prefix = key === undefined || key === "" ? "" : `${key}/`;
    const found = new Set<string>();
    if (key !== undefined && this.#exists(key)) found.add("");
    for (let at = this.#firstFrom(prefix); at < keys.length && keys[at]!.startsWith(prefix);) {
      const candidate = keys[at]!;
      const end = candidate.indexOf("/", prefix.length);
      found.add(candidate.slice(prefix.length, end < 0 ? undefined : end));
      // "0" follows "/": the keys from there on are not below this child.
      at = end < 0 ? at + 1 : this.#firstFrom(`${candidate.slice(0, end)}0`);
    }
    return found.size === 0 ? undefined : [...found].sort();
  }

  /** Index of the first key that is not less than `text`. */
  #firstFrom(text: string): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#sorted[middle]! < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #settle(): void {
    const changed = this.#changed;
    if (changed.size === 0) return;
    this.#changed = new Set();
    for (const key of changed) {
      const at = this.#firstFrom(key);
      const isListed = this.#sorted[at] === key;
      if (isListed === this.#exists(key)) continue;
      if (isListed) this.#sorted.splice(at, 1);
      else this.#sorted.splice(at, 0, key);
    }
  }
}
