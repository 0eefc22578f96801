// Key-value state with cheap throw-away copies and a bounded past. The newest state is one map; a layer on top
// of it holds the writes of an operation or a block until they are kept or dropped; each kept block leaves
// the values it replaced at their keys, so that states within the kept history can be read. What is large or has to be
// listed is one value (see `Entries`): there are few writes, and reading the past is one look at each key.
import { Entries } from "./entries.ts";
import { weightAt, weightBeside } from "./weight.ts";

export interface StateReader {
  get(key: string): unknown;
}

/** What a key had until the block of a level replaced it. */
interface Replaced {
  readonly level: number;
  readonly value: unknown;
}

/** Bytes, about, of one of them without its value, and of the note at its level. */
const REPLACED = 120;

/** Writes on top of another state; `undefined` is a removed value. */
export class Layer implements StateReader {
  readonly #below: StateReader;
  readonly #writes = new Map<string, unknown>();

  constructor(below: StateReader) {
    this.#below = below;
  }

  /** The writes of two layers, the upper one on top of the lower one, as one layer. Both stay as they are. */
  static join(lower: Layer, upper: Layer): Layer {
    const joined = new Layer(lower.#below);
    lower.mergeInto(joined);
    upper.mergeInto(joined);
    return joined;
  }

  get(key: string): unknown {
    const written = this.#writes.get(key);
    return written !== undefined || this.#writes.has(key) ? written : this.#below.get(key);
  }

  set(key: string, value: unknown): void {
    this.#writes.set(key, value);
  }

  /** Takes a write back, as if it had never been made. */
  forget(key: string): void {
    this.#writes.delete(key);
  }

  get writes(): ReadonlyMap<string, unknown> {
    return this.#writes;
  }

  /** Approximate bytes by which the writes enlarge the state below. */
  get growth(): number {
    let growth = 0;
    for (const [key, value] of this.#writes)
      growth += weightAt(key, value) - weightAt(key, this.#below.get(key));
    return growth;
  }

  /** Copies all writes into the layer below. */
  mergeInto(target: Layer): void {
    for (const [key, value] of this.#writes) target.set(key, value);
  }
}

export class Store implements StateReader {
  readonly #state = new Map<string, unknown>();
  /** By key, in the order of the levels. */
  readonly #replaced = new Map<string, Replaced[]>();
  /** By level: the keys that its block wrote. */
  readonly #written = new Map<number, readonly string[]>();
  #level = -1;
  #weight = 0;

  /** Approximate bytes of the newest state. */
  get weight(): number {
    return this.#weight;
  }

  get(key: string): unknown {
    return this.#state.get(key);
  }

  /** Makes the writes of a block part of the state. @returns bytes, about, of what is kept of the state before */
  commit(level: number, writes: ReadonlyMap<string, unknown>): number {
    let kept = 0;
    for (const [key, value] of writes) {
      const before = this.#state.get(key);
      this.#weight += weightAt(key, value) - weightAt(key, before);
      kept += REPLACED + weightOfReplaced(before, value);
      if (value === undefined) this.#state.delete(key);
      else this.#state.set(key, value);
      const replaced = this.#replaced.get(key);
      if (replaced) replaced.push({ level, value: before });
      else this.#replaced.set(key, [{ level, value: before }]);
    }
    this.#written.set(level, [...writes.keys()]);
    this.#level = level;
    return kept;
  }

  /** A copy of the whole current state. Values are shared, for none is ever changed in place. */
  copy(): ReadonlyMap<string, unknown> {
    return new Map(this.#state);
  }

  /** The writes that turn the current state into a copy. */
  differenceTo(copy: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
    const writes = new Map<string, unknown>();
    for (const [key, value] of copy) if (this.#state.get(key) !== value) writes.set(key, value);
    for (const key of this.#state.keys()) if (!copy.has(key)) writes.set(key, undefined);
    return writes;
  }

  /** Gives up the states before the one of this level; those before them must have been given up already. */
  forgetBefore(level: number): void {
    for (const key of this.#written.get(level) ?? []) {
      const replaced = this.#replaced.get(key);
      if (replaced === undefined || replaced[0]!.level > level) continue;
      if (replaced.length === 1) this.#replaced.delete(key);
      else replaced.shift();
    }
    this.#written.delete(level);
  }

  /** State after the block of this level, which must be in the history. It never changes. */
  at(level: number): StateReader {
    return { get: (key) => (level >= this.#level ? this.#state.get(key) : this.#before(key, level)) };
  }

  /** What the first block after the level that wrote the key found there; what is there now when none did. */
  #before(key: string, level: number): unknown {
    const replaced = this.#replaced.get(key);
    if (replaced === undefined || replaced.at(-1)!.level <= level) return this.#state.get(key);
    let low = 0;
    for (let high = replaced.length - 1; low < high;) {
      const middle = (low + high) >> 1;
      if (replaced[middle]!.level > level) high = middle;
      else low = middle + 1;
    }
    return replaced[low]!.value;
  }
}

/** Bytes, about, of a value that another one has replaced. */
const weightOfReplaced = (before: unknown, after: unknown): number =>
  before instanceof Entries
    ? before.weightBeside(after instanceof Entries ? after : undefined)
    : weightBeside(before, after);
