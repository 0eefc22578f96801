// Sets and maps of the interpreter: balanced trees (AVL) that are never changed in place. An update copies the path from
// the root and shares the rest with the previous tree.

export interface Tree<K, V> {
  readonly key: K;
  readonly value: V;
  readonly left: Tree<K, V> | undefined;
  readonly right: Tree<K, V> | undefined;
  readonly height: number;
  readonly size: number;
}

/** Empty is undefined. */
export type OrderedTree<K, V> = Tree<K, V> | undefined;
export type Compare<K> = (a: K, b: K) => number;

export const sizeOf = (tree: OrderedTree<unknown, unknown>): number => tree?.size ?? 0;
const heightOf = (tree: OrderedTree<unknown, unknown>): number => tree?.height ?? 0;

function node<K, V>(key: K, value: V, left: OrderedTree<K, V>, right: OrderedTree<K, V>): Tree<K, V> {
  return {
    key,
    value,
    left,
    right,
    height: Math.max(heightOf(left), heightOf(right)) + 1,
    size: sizeOf(left) + sizeOf(right) + 1,
  };
}

export function find<K, V>(tree: OrderedTree<K, V>, key: K, compare: Compare<K>): Tree<K, V> | undefined {
  let at = tree;
  while (at) {
    const order = compare(key, at.key);
    if (order === 0) return at;
    at = order < 0 ? at.left : at.right;
  }
  return undefined;
}

export function insert<K, V>(tree: OrderedTree<K, V>, key: K, value: V, compare: Compare<K>): Tree<K, V> {
  if (!tree) return node(key, value, undefined, undefined);
  const order = compare(key, tree.key);
  if (order === 0) return node(tree.key, value, tree.left, tree.right);
  return order < 0
    ? balance(tree.key, tree.value, insert(tree.left, key, value, compare), tree.right)
    : balance(tree.key, tree.value, tree.left, insert(tree.right, key, value, compare));
}

export function remove<K, V>(tree: OrderedTree<K, V>, key: K, compare: Compare<K>): OrderedTree<K, V> {
  if (!tree) return undefined;
  const order = compare(key, tree.key);
  if (order < 0) return balance(tree.key, tree.value, remove(tree.left, key, compare), tree.right);
  if (order > 0) return balance(tree.key, tree.value, tree.left, remove(tree.right, key, compare));
  if (!tree.left) return tree.right;
  if (!tree.right) return tree.left;
  const next = first(tree.right);
  return balance(next.key, next.value, tree.left, withoutFirst(tree.right));
}

function first<K, V>(tree: Tree<K, V>): Tree<K, V> {
  let at = tree;
  while (at.left) at = at.left;
  return at;
}

function withoutFirst<K, V>(tree: Tree<K, V>): OrderedTree<K, V> {
  return tree.left ? balance(tree.key, tree.value, withoutFirst(tree.left), tree.right) : tree.right;
}

/** A node whose branches differ in height by at most two, rotated so that they differ by at most one. */
function balance<K, V>(key: K, value: V, left: OrderedTree<K, V>, right: OrderedTree<K, V>): Tree<K, V> {
  const lean = heightOf(left) - heightOf(right);
  if (lean > 1 && left) {
    if (heightOf(left.left) >= heightOf(left.right))
      return node(left.key, left.value, left.left, node(key, value, left.right, right));
    const middle = left.right!;
    return node(
      middle.key,
      middle.value,
      node(left.key, left.value, left.left, middle.left),
      node(key, value, middle.right, right),
    );
  }
  if (lean < -1 && right) {
    if (heightOf(right.right) >= heightOf(right.left))
      return node(right.key, right.value, node(key, value, left, right.left), right.right);
    const middle = right.left!;
    return node(
      middle.key,
      middle.value,
      node(key, value, left, middle.left),
      node(right.key, right.value, middle.right, right.right),
    );
  }
  return node(key, value, left, right);
}

/** Elements in ascending order. @param offset how many of the first to leave out, which are not visited */
export function* inOrder<K, V>(tree: OrderedTree<K, V>, offset = 0): Generator<Tree<K, V>, void> {
  const path: Tree<K, V>[] = [];
  let left = offset;
  let at = tree;
  while (at) {
    const before = sizeOf(at.left);
    if (left <= before) path.push(at);
    if (left === before) break;
    if (left < before) {
      at = at.left;
    } else {
      left -= before + 1;
      at = at.right;
    }
  }
  for (let next = path.pop(); next; next = path.pop()) {
    yield next;
    for (at = next.right; at; at = at.left) path.push(at);
  }
}

/** A tree of elements already in ascending order. */
export function fromSorted<K, V>(elements: readonly (readonly [K, V])[]): OrderedTree<K, V> {
  const build = (low: number, high: number): OrderedTree<K, V> => {
    if (low >= high) return undefined;
    const middle = (low + high) >> 1;
    const [key, value] = elements[middle]!;
    return node(key, value, build(low, middle), build(middle + 1, high));
  };
  return build(0, elements.length);
}
