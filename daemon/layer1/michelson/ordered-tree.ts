// Sets and maps of the interpreter: balanced trees (AVL) that are never changed in place. An update copies the path from
// the root and shares the rest with the previous tree.

export interface Tree<K, V> {
  readonly key: K;
  readonly value: V;
  readonly left: Tree<K, V> | undefined;
  readonly right: Tree<K, V> | undefined;
  /** Number of elements times 64, plus the height: an update copies a dozen nodes, which have to be small. */
  readonly extent: number;
}

/** Places of the height in an extent; a tree of 2^44 elements has that height. */
const HEIGHT_BITS = 6;
const HEIGHT_MASK = (1 << HEIGHT_BITS) - 1;

/** Undefined when it has no elements. */
export type OrderedTree<K, V> = Tree<K, V> | undefined;
export type Compare<K> = (a: K, b: K) => number;

export const sizeOf = (tree: OrderedTree<unknown, unknown>): number =>
  tree === undefined ? 0 : tree.extent >>> HEIGHT_BITS;
export const heightOf = (tree: OrderedTree<unknown, unknown>): number =>
  tree === undefined ? 0 : tree.extent & HEIGHT_MASK;

/** A class, so that V8 gives all nodes one shape: objects of several shapes slow down every search. */
class Node<K, V> implements Tree<K, V> {
  readonly key: K;
  readonly value: V;
  readonly left: OrderedTree<K, V>;
  readonly right: OrderedTree<K, V>;
  readonly extent: number;

  constructor(key: K, value: V, left: OrderedTree<K, V>, right: OrderedTree<K, V>, extent: number) {
    this.key = key;
    this.value = value;
    this.left = left;
    this.right = right;
    this.extent = extent;
  }
}

function node<K, V>(key: K, value: V, left: OrderedTree<K, V>, right: OrderedTree<K, V>): Tree<K, V> {
  const [one, other] = [left === undefined ? 0 : left.extent, right === undefined ? 0 : right.extent];
  const height = Math.max(one & HEIGHT_MASK, other & HEIGHT_MASK) + 1;
  const size = (one >>> HEIGHT_BITS) + (other >>> HEIGHT_BITS) + 1;
  return new Node(key, value, left, right, (size << HEIGHT_BITS) | height);
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

/** The tree with an element: the same tree when it has this very value already. */
export function insert<K, V>(tree: OrderedTree<K, V>, key: K, value: V, compare: Compare<K>): Tree<K, V> {
  if (!tree) return node(key, value, undefined, undefined);
  const path = pathIn(tree);
  let depth = 0;
  let order = 0;
  let at: OrderedTree<K, V> = tree;
  do {
    order = compare(key, at.key);
    if (order === 0) {
      if (at.value === value) return tree;
      const replaced = new Node(at.key, value, at.left, at.right, at.extent);
      return copyPath(path, depth, at, replaced)!;
    }
    path[depth++] = at;
    at = order < 0 ? at.left : at.right;
  } while (at);
  return growPath(path, depth, order < 0, undefined, node(key, value, undefined, undefined))!;
}

/** The tree without an element: the same tree when it has none with that key. */
export function remove<K, V>(tree: OrderedTree<K, V>, key: K, compare: Compare<K>): OrderedTree<K, V> {
  if (!tree) return undefined;
  const path = pathIn(tree);
  let depth = 0;
  let at: OrderedTree<K, V> = tree;
  do {
    const order = compare(key, at.key);
    if (order === 0) {
      const isLeft = depth > 0 && path[depth - 1]!.left === at;
      return growPath(path, depth, isLeft, at, join(at.left, at.right));
    }
    path[depth++] = at;
    at = order < 0 ? at.left : at.right;
  } while (at);
  return tree;
}

/**
 * Room for the nodes above the one that a search has come to, the root first. An update goes down and up again in loops,
 * which takes half the time of a recursion. The room is new each time: the collector has to be told of every new node in
 * an old array.
 */
const pathIn = <K, V>(tree: Tree<K, V>): Tree<K, V>[] => new Array<Tree<K, V>>(heightOf(tree));

/** One tree of two whose heights differ by at most one, all of the left before all of the right. */
function join<K, V>(left: OrderedTree<K, V>, right: OrderedTree<K, V>): OrderedTree<K, V> {
  if (!left) return right;
  if (!right) return left;
  const next = first(right);
  return balance(next.key, next.value, left, withoutFirst(right));
}

/**
 * Copies the nodes of a path with another branch below, as high as before or not.
 * @param isLeft on which side of the last node the branch is
 * @param was the branch before
 */
function growPath<K, V>(
  path: readonly Tree<K, V>[],
  depth: number,
  isLeft: boolean,
  was: OrderedTree<K, V>,
  branch: OrderedTree<K, V>,
): OrderedTree<K, V> {
  let [old, made, left] = [was, branch, isLeft];
  let above = depth;
  while (above > 0 && heightOf(made) !== heightOf(old)) {
    const parent = path[--above]!;
    made = left
      ? balance(parent.key, parent.value, made, parent.right)
      : balance(parent.key, parent.value, parent.left, made);
    old = parent;
    left = above > 0 && path[above - 1]!.left === old;
  }
  return copyPath(path, above, old!, made);
}

/** As {@link growPath}, for a branch as high as before: nothing above is out of balance. */
function copyPath<K, V>(
  path: readonly Tree<K, V>[],
  depth: number,
  was: Tree<K, V>,
  branch: OrderedTree<K, V>,
): OrderedTree<K, V> {
  let [old, made] = [was, branch];
  const more = (sizeOf(made) - sizeOf(was)) << HEIGHT_BITS;
  for (let above = depth - 1; above >= 0; above--) {
    const parent = path[above]!;
    const { key, value, left, right, extent } = parent;
    made =
      left === old
        ? new Node(key, value, made, right, extent + more)
        : new Node(key, value, left, made, extent + more);
    old = parent;
  }
  return made;
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
