// A large collection of the state: the entries of a big map, the tickets of an owner, the addresses of accounts. It is
// never changed in place: an update copies the way to its place and shares the rest with the collection before, so a
// copy and the collection of an earlier block cost nothing, and dropping one is dropping one value.
import { type OrderedTree, find, inOrder, insert, remove, sizeOf } from "../michelson/ordered-tree.ts";
import { Weighed, keyWeight, weighAnew } from "./weight.ts";

/** Bytes of a node of the tree, measured for V8. */
const NODE = 72;

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

interface Counted {
  /** Bytes, about, of all entries. */
  readonly weight: number;
  /** Updates ever made on the way to this collection, and the bytes of what they replaced. */
  readonly updates: number;
  readonly replaced: number;
}

export class Entries<V> extends Weighed {
  readonly #tree: OrderedTree<string, V>;
  readonly #counted: Counted;

  private constructor(tree: OrderedTree<string, V>, counted: Counted) {
    super();
    this.#tree = tree;
    this.#counted = counted;
  }

  static readonly #none = new Entries<never>(undefined, { weight: 0, updates: 0, replaced: 0 });

  static none<V>(): Entries<V> {
    return Entries.#none as Entries<unknown> as Entries<V>;
  }

  get size(): number {
    return sizeOf(this.#tree);
  }

  /** Bytes, about, that it takes. */
  get weight(): number {
    return this.#counted.weight;
  }

  get(key: string): V | undefined {
    return find(this.#tree, key, byText)?.value;
  }

  /** The same with another value at a key; undefined removes it. */
  with(key: string, value: V | undefined): Entries<V> {
    const before = this.get(key);
    if (before === undefined && value === undefined) return this;
    const lost = before === undefined ? 0 : entryWeight(key, before);
    const { weight, updates, replaced } = this.#counted;
    const tree =
      value === undefined ? remove(this.#tree, key, byText) : insert(this.#tree, key, value, byText);
    return new Entries(tree, {
      weight: weight - lost + (value === undefined ? 0 : entryWeight(key, value)),
      updates: updates + 1,
      replaced: replaced + lost,
    });
  }

  /** Values in the order of their keys. @param offset how many to leave out, which costs nothing */
  *values(offset = 0): Generator<V, void> {
    for (const { value } of inOrder(this.#tree, offset)) yield value;
  }

  /** Keys in their order. */
  *keys(): Generator<string, void> {
    for (const { key } of inOrder(this.#tree)) yield key;
  }

  /**
   * Bytes, about, that this collection takes beside what it shares with the one that came of it. Updates share their
   * ways near the root: of many in a large tree each has about the lower part of its way for itself.
   */
  weightBeside(after: Entries<unknown> | undefined): number {
    if (after === undefined) return this.weight;
    const updates = after.#counted.updates - this.#counted.updates;
    const replaced = after.#counted.replaced - this.#counted.replaced;
    if (updates < 0) return this.weight; // not one that came of it
    const way = Math.log2(Math.max(1, this.size / Math.max(1, updates))) + 2;
    return Math.min(this.weight, Math.round(replaced + updates * way * NODE));
  }
}

const entryWeight = (key: string, value: unknown): number => NODE + keyWeight(key) + weighAnew(value);
