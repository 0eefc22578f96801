// A persistent map: a change creates a few new nodes and leaves the old map intact. A hash trie that takes five bits per
// level.

const BITS = 5;
const MASK = 31;
/** Bits of a hash; keys that share all of them are kept in a list. */
const HASH_BITS = 32;

interface Leaf<Value> {
  readonly hash: number;
  readonly key: string;
  readonly value: Value;
}

/** Occupied slots in the order of their bits. */
interface Branch<Value> {
  readonly bits: number;
  readonly slots: readonly Node<Value>[];
}

type Node<Value> = Leaf<Value> | Branch<Value> | readonly Leaf<Value>[];

const isBranch = <Value>(node: Node<Value>): node is Branch<Value> => "slots" in node;
const isList = <Value>(node: Node<Value>): node is readonly Leaf<Value>[] => Array.isArray(node);

export class PersistentMap<Value> {
  static readonly #empty = new PersistentMap<never>(undefined, 0);
  readonly #root: Node<Value> | undefined;
  readonly size: number;

  private constructor(root: Node<Value> | undefined, size: number) {
    this.#root = root;
    this.size = size;
  }

  static empty<Value>(): PersistentMap<Value> {
    return PersistentMap.#empty;
  }

  get(key: string): Value | undefined {
    const hash = hashOf(key);
    let node = this.#root;
    for (let shift = 0; node !== undefined; shift += BITS) {
      if (isList(node)) return node.find((leaf) => leaf.key === key)?.value;
      if (!isBranch(node)) return node.key === key ? node.value : undefined;
      const bit = bitOf(hash, shift);
      node = (node.bits & bit) === 0 ? undefined : node.slots[placeOf(node.bits, bit)];
    }
    return undefined;
  }

  with(key: string, value: Value): PersistentMap<Value> {
    const leaf = { hash: hashOf(key), key, value };
    const isNew = this.get(key) === undefined;
    const root = this.#root === undefined ? leaf : put(this.#root, leaf, 0);
    return new PersistentMap(root, this.size + (isNew ? 1 : 0));
  }

  without(key: string): PersistentMap<Value> {
    if (this.#root === undefined || this.get(key) === undefined) return this;
    return new PersistentMap(cut(this.#root, key, hashOf(key), 0), this.size - 1);
  }

  /** Unordered. */
  *values(): Generator<Value> {
    const pending: Node<Value>[] = this.#root === undefined ? [] : [this.#root];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (isList(node)) for (const { value } of node) yield value;
      else if (isBranch(node)) pending.push(...node.slots);
      else yield node.value;
    }
  }
}

/** FNV-1a. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return hash;
}

const bitOf = (hash: number, shift: number): number => 1 << ((hash >>> shift) & MASK);

/** Index of a bit's slot: the number of occupied slots before it. */
function placeOf(bits: number, bit: number): number {
  let below = bits & (bit - 1);
  let count = 0;
  for (; below !== 0; below &= below - 1) count++;
  return count;
}

function put<Value>(node: Node<Value>, leaf: Leaf<Value>, shift: number): Node<Value> {
  if (isBranch(node)) {
    const bit = bitOf(leaf.hash, shift);
    const at = placeOf(node.bits, bit);
    const slots = node.slots.slice();
    if ((node.bits & bit) !== 0) slots[at] = put(slots[at]!, leaf, shift + BITS);
    else slots.splice(at, 0, leaf);
    return { bits: node.bits | bit, slots };
  }
  if (isList(node)) return [...node.filter(({ key }) => key !== leaf.key), leaf];
  if (node.key === leaf.key) return leaf;
  if (shift >= HASH_BITS) return [node, leaf];
  return put({ bits: bitOf(node.hash, shift), slots: [node] }, leaf, shift);
}

function cut<Value>(node: Node<Value>, key: string, hash: number, shift: number): Node<Value> | undefined {
  if (isList(node)) {
    const rest = node.filter((leaf) => leaf.key !== key);
    return rest.length > 1 ? rest : rest[0];
  }
  if (!isBranch(node)) return undefined;
  const bit = bitOf(hash, shift);
  const at = placeOf(node.bits, bit);
  const inner = cut(node.slots[at]!, key, hash, shift + BITS);
  if (inner !== undefined) {
    const slots = node.slots.slice();
    slots[at] = inner;
    return { bits: node.bits, slots };
  }
  const slots = node.slots.filter((_slot, i) => i !== at);
  return slots.length === 0 ? undefined : { bits: node.bits & ~bit, slots };
}
