// The changes of a big map, by the hash of their keys: a trie over the digits of the hashes, never changed in place. As
// hashes are evenly spread, it is flat: of 200,000 changes each is found in five steps, where a balanced tree takes
// eighteen, each with a comparison of two texts.

export interface HashEntry<V> {
  /** Lower-case hex digits, as many as in all other entries. */
  readonly hash: string;
  readonly value: V;
}

/** By the digit at its depth. */
type Branch<V> = readonly (Branch<V> | HashEntry<V> | undefined)[];

/** Undefined when it has no entries. */
export type HashTrie<V> = { readonly size: number; readonly root: Branch<V> } | undefined;

/** A class, so that V8 gives all entries one shape. */
class Entry<V> implements HashEntry<V> {
  readonly hash: string;
  readonly value: V;
  constructor(hash: string, value: V) {
    this.hash = hash;
    this.value = value;
  }
}

const DIGITS = 16;
const isBranch = <V>(node: Branch<V> | HashEntry<V>): node is Branch<V> => Array.isArray(node);

/** Value of a hex digit. */
function digitAt(hash: string, depth: number): number {
  const code = hash.charCodeAt(depth);
  return code < 58 ? code - 48 : code - 87;
}

const newBranch = <V>(): (Branch<V> | HashEntry<V> | undefined)[] => new Array(DIGITS).fill(undefined);

export const sizeOfTrie = (trie: HashTrie<unknown>): number => trie?.size ?? 0;

export function findHash<V>(trie: HashTrie<V>, hash: string): V | undefined {
  let at: Branch<V> | HashEntry<V> | undefined = trie?.root;
  for (let depth = 0; at !== undefined; depth++) {
    if (!isBranch(at)) return at.hash === hash ? at.value : undefined;
    at = at[digitAt(hash, depth)];
  }
  return undefined;
}

/** A copy with the value that `make` returns for the present one. */
export function withHash<V>(
  trie: HashTrie<V>,
  hash: string,
  make: (before: V | undefined) => V,
): NonNullable<HashTrie<V>> {
  const root = trie ? trie.root.slice() : newBranch<V>();
  let branch = root;
  for (let depth = 0; ; depth++) {
    const digit = digitAt(hash, depth);
    const next: Branch<V> | HashEntry<V> | undefined = branch[digit];
    if (next !== undefined && isBranch(next)) {
      branch[digit] = branch = next.slice();
    } else if (next === undefined || next.hash === hash) {
      branch[digit] = new Entry(hash, make(next?.value));
      return { size: sizeOfTrie(trie) + (next === undefined ? 1 : 0), root };
    } else {
      // Two hashes that begin alike: one more digit for both.
      const both = newBranch<V>();
      both[digitAt(next.hash, depth + 1)] = next;
      branch[digit] = branch = both;
    }
  }
}

/** Entries in the order of their hashes. */
export function* entriesByHash<V>(trie: HashTrie<V>): Generator<HashEntry<V>, void> {
  const pending: (Branch<V> | HashEntry<V> | undefined)[] = trie ? [trie.root] : [];
  for (let node = pending.pop(); pending.length > 0 || node !== undefined; node = pending.pop()) {
    if (node === undefined) continue;
    if (isBranch(node)) for (let digit = DIGITS - 1; digit >= 0; digit--) pending.push(node[digit]);
    else yield node;
  }
}
