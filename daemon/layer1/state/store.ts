// Key-value state with cheap throw-away copies and a bounded past. The newest state is one map; a layer on top
// of it holds the writes of an operation or a block until they are kept or dropped; each kept block leaves
// the values it replaced, so that states within the kept history can be read by walking back.
import { weightOf } from "./weight.ts";

export interface StateReader {
  get(key: string): unknown;
  /** Keys of a family (see `familyOf`) that have a value. */
  keys(family: string): Iterable<string>;
}

/**
 * Family of a key: keys whose names can be listed. Accounts (`a:`), entries of one big map (`e:<id>:`), tickets of one
 * owner (`t:<owner>:`); others are never listed.
 */
function familyOf(key: string): string | undefined {
  if (key.startsWith("a:")) return "a:";
  if (!key.startsWith("e:") && !key.startsWith("t:")) return undefined;
  return key.slice(0, key.indexOf(":", 2) + 1);
}

/** Writes on top of another state; `undefined` is a removed value. */
export class Layer implements StateReader {
  readonly #below: StateReader;
  readonly #writes = new Map<string, unknown>();

  constructor(below: StateReader) {
    this.#below = below;
  }

  get(key: string): unknown {
    const written = this.#writes.get(key);
    return written !== undefined || this.#writes.has(key) ? written : this.#below.get(key);
  }

  set(key: string, value: unknown): void {
    this.#writes.set(key, value);
  }

  *keys(family: string): Iterable<string> {
    for (const key of this.#below.keys(family)) if (!this.#writes.has(key)) yield key;
    for (const [key, value] of this.#writes) if (value !== undefined && key.startsWith(family)) yield key;
  }

  get writes(): ReadonlyMap<string, unknown> {
    return this.#writes;
  }

  /** Bytes, about, by which the writes make the state below larger. */
  get growth(): number {
    let growth = 0;
    for (const [key, value] of this.#writes) growth += weightOf(value) - weightOf(this.#below.get(key));
    return growth;
  }

  /** Writes everything of this layer into the layer below it. */
  mergeInto(target: Layer): void {
    for (const [key, value] of this.#writes) target.set(key, value);
  }
}

export class Store implements StateReader {
  readonly #state = new Map<string, unknown>();
  readonly #families = new Map<string, Set<string>>();
  /** By level: what the block at that level replaced. */
  readonly #replaced = new Map<number, ReadonlyMap<string, unknown>>();
  #level = -1;
  #weight = 0;

  /** Bytes, about, that the newest state takes. */
  get weight(): number {
    return this.#weight;
  }

  get(key: string): unknown {
    return this.#state.get(key);
  }

  keys(family: string): Iterable<string> {
    return this.#families.get(family) ?? [];
  }

  /** Makes the writes of a block part of the state. @returns bytes, about, of what is kept of the state before */
  commit(level: number, writes: ReadonlyMap<string, unknown>): number {
    const replaced = new Map<string, unknown>();
    let kept = 0;
    for (const [key, value] of writes) {
      const before = this.#state.get(key);
      replaced.set(key, before);
      const weight = weightOf(before);
      kept += weight;
      this.#weight += weightOf(value) - weight;
      if (value === undefined) this.#state.delete(key);
      else this.#state.set(key, value);
      if ((before === undefined) !== (value === undefined)) this.#list(key, value !== undefined);
    }
    this.#replaced.set(level, replaced);
    this.#level = level;
    return kept;
  }

  /** The whole state as it is now. Values are shared: none is ever changed in place. */
  copy(): ReadonlyMap<string, unknown> {
    return new Map(this.#state);
  }

  /** What has to be written so that the state equals a copy of it. */
  differenceTo(copy: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
    const writes = new Map<string, unknown>();
    for (const [key, value] of copy) if (this.#state.get(key) !== value) writes.set(key, value);
    for (const key of this.#state.keys()) if (!copy.has(key)) writes.set(key, undefined);
    return writes;
  }

  #list(key: string, isThere: boolean): void {
    const family = familyOf(key);
    if (family === undefined) return;
    const keys = this.#families.get(family);
    if (isThere) {
      if (keys) keys.add(key);
      else this.#families.set(family, new Set([key]));
      return;
    }
    keys?.delete(key);
    if (keys?.size === 0) this.#families.delete(family);
  }

  /** Gives up the states before the one of this level. */
  forgetBefore(level: number): void {
    this.#replaced.delete(level);
  }

  /** State as it was after the block of this level, which must be within the kept history; it stays so. */
  at(level: number): StateReader {
    const get = (key: string): unknown => {
      for (let l = level + 1; l <= this.#level; l++) {
        const replaced = this.#replaced.get(l);
        if (replaced?.has(key)) return replaced.get(key);
      }
      return this.#state.get(key);
    };
    const keys = (family: string): Iterable<string> => {
      if (level >= this.#level) return this.keys(family);
      // What the first block after the level found there is what it had been.
      const found = new Map<string, boolean>();
      for (let l = level + 1; l <= this.#level; l++) {
        for (const [key, value] of this.#replaced.get(l) ?? [])
          if (key.startsWith(family) && !found.has(key)) found.set(key, value !== undefined);
      }
      for (const key of this.keys(family)) if (!found.has(key)) found.set(key, true);
      return [...found].filter(([, isThere]) => isThere).map(([key]) => key);
    };
    return { get, keys };
  }
}
