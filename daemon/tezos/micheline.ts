// Micheline, the tree in which Michelson code, types and data are written: shape, guards, small constructors.
import { isHex } from "./hex.ts";
import { MAX_NUMBER_BYTES, bitsOf, bytesOf } from "./number-length.ts";

export interface MichelinePrim {
  readonly prim: string;
  readonly args?: readonly Micheline[];
  readonly annots?: readonly string[];
}

export type Micheline =
  | { readonly int: string }
  | { readonly string: string }
  | { readonly bytes: string }
  | MichelinePrim
  | readonly Micheline[];

/** Deepest nesting accepted; recursion over a tree of this depth is safe on the default stack. */
export const MAX_DEPTH = 1_000;
/** Most nodes in one expression, so that a small request cannot cause a huge traversal. */
const MAX_NODES = 200_000;

/** Bytes by which a decoded number may be longer than any that a script computes. */
const DECODED_BEYOND = 6;
/** Binary digits for each decimal one. */
const BITS_OF_DIGIT = Math.log2(10);
/**
 * Most digits of a number as text: what a client reads, it may send again. No value in a script is longer, and parsing
 * takes more than linear time.
 */
export const MAX_DIGITS = Math.ceil((8 * (MAX_NUMBER_BYTES + DECODED_BEYOND)) / BITS_OF_DIGIT);

/** Numbers from here on have digits only once somebody reads them: making them takes more than linear time. */
const LONG_NUMBER = 1n << 512n;
/** Digits of a number that is not long. */
const FEW_DIGITS = 150;

interface IntegerNode {
  readonly int: string;
}

/** A long number: its digits are an own property, so that they are copied and written as any other node's. */
class LongInteger implements IntegerNode {
  declare readonly int: string;
  readonly #number: bigint;

  constructor(number: bigint) {
    this.#number = number;
    let digits: string | undefined;
    Object.defineProperty(this, "int", { get: () => (digits ??= number.toString()), enumerable: true });
  }

  get number(): bigint {
    return this.#number;
  }
}

/** Long numbers that came as digits and were read. */
const readNumbers = new WeakMap<IntegerNode, bigint>();

/** The node of a number that is known as such. */
export const integer = (value: bigint): IntegerNode =>
  value < LONG_NUMBER && value > -LONG_NUMBER ? { int: value.toString() } : new LongInteger(value);

/** The number at a node. Digits of a long one are read once at most, and not at all when it comes from {@link integer}. */
export function numberAt(node: IntegerNode): bigint {
  if (node instanceof LongInteger) return node.number;
  const { int } = node;
  if (int.length <= FEW_DIGITS) return BigInt(int);
  let number = readNumbers.get(node);
  if (number === undefined) readNumbers.set(node, (number = BigInt(int)));
  return number;
}

/** Whether two nodes have the same digits. */
export const hasSameDigits = (a: IntegerNode, b: IntegerNode): boolean =>
  a instanceof LongInteger || b instanceof LongInteger ? numberAt(a) === numberAt(b) : a.int === b.int;

/** About the number of digits at a node, without making them. */
const digitsAt = (node: IntegerNode): number =>
  node instanceof LongInteger ? Math.ceil(bitsOf(node.number) / BITS_OF_DIGIT) : node.int.length;

export const prim = (name: string, ...args: readonly Micheline[]): MichelinePrim =>
  args.length === 0 ? { prim: name } : { prim: name, args };

export function isPrim(node: Micheline): node is MichelinePrim {
  return !Array.isArray(node) && "prim" in node;
}

/** The kind of a node, for errors. */
export function kindOf(node: Micheline): string {
  if (Array.isArray(node)) return "sequence";
  if ("int" in node) return "integer";
  if ("string" in node) return "string";
  return "bytes" in node ? "bytes" : "primitiveApplication";
}

export const isSequence = (node: Micheline): node is readonly Micheline[] => Array.isArray(node);

/**
 * Checks that an untrusted JSON value is Micheline, without recursion, so that deep nesting is harmless.
 * @returns undefined when it is not
 */
export function parseMicheline(json: unknown): Micheline | undefined {
  const pending: { readonly node: unknown; readonly depth: number }[] = [{ node: json, depth: 0 }];
  let nodes = 0;
  for (let item = pending.pop(); item; item = pending.pop()) {
    const { node, depth } = item;
    if (depth > MAX_DEPTH || ++nodes > MAX_NODES) return undefined;
    if (typeof node !== "object" || node === null) return undefined;
    const children = childrenOf(node);
    if (!children) return undefined;
    if (nodes + children.length > MAX_NODES) return undefined;
    for (const child of children) pending.push({ node: child, depth: depth + 1 });
  }
  return json as Micheline;
}

const INT = new RegExp(`^-?\\d{1,${MAX_DIGITS}}$`);

/** Children of one well-formed node, or undefined when the node itself is malformed. */
function childrenOf(node: object): readonly unknown[] | undefined {
  if (Array.isArray(node)) return node;
  const keys = Object.keys(node);
  const fields = node as Readonly<Record<string, unknown>>;
  if (keys.length === 1 && keys[0] !== "prim") {
    const value = fields[keys[0]!];
    if (typeof value !== "string") return undefined;
    if (keys[0] === "int") return INT.test(value) ? [] : undefined;
    if (keys[0] === "bytes") return isHex(value) ? [] : undefined;
    return keys[0] === "string" ? [] : undefined;
  }
  if (typeof fields["prim"] !== "string") return undefined;
  for (const key of keys) if (key !== "prim" && key !== "args" && key !== "annots") return undefined;
  const { annots, args } = fields;
  if (annots !== undefined && !(Array.isArray(annots) && annots.every((a) => typeof a === "string")))
    return undefined;
  if (args === undefined) return [];
  return Array.isArray(args) ? args : undefined;
}

/** Number of nodes of an untrusted expression, which shares none. */
export function countNodes(root: Micheline): number {
  const pending: Micheline[] = [root];
  let nodes = 0;
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    nodes++;
    const children = isSequence(node) ? node : isPrim(node) ? node.args : undefined;
    if (children) for (const child of children) pending.push(child);
  }
  return nodes;
}

/** The quantities that the protocol's costs of expressions depend on. Annotations count as nodes and as texts. */
export interface ExpressionParts {
  readonly nodes: number;
  readonly annotations: number;
  readonly numberBytes: number;
  readonly textBytes: number;
}

export function expressionSize(root: Micheline): ExpressionParts {
  const pending: Micheline[] = [root];
  const size = { nodes: 0, annotations: 0, numberBytes: 0, textBytes: 0 };
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    size.nodes++;
    if (isSequence(node)) {
      for (const item of node) pending.push(item);
    } else if ("int" in node) {
      size.numberBytes += bytesOf(numberAt(node));
    } else if ("string" in node) {
      size.textBytes += Buffer.byteLength(node.string);
    } else if ("bytes" in node) {
      size.textBytes += node.bytes.length / 2;
    } else {
      for (const annotation of node.annots ?? []) {
        size.nodes++;
        size.annotations++;
        size.textBytes += annotation.length;
      }
      for (const arg of node.args ?? []) pending.push(arg);
    }
  }
  return size;
}

export interface Extent {
  /** Nesting. */
  readonly depth: number;
  /** About the bytes of its binary form. */
  readonly bytes: number;
}

/** Of nodes with children. Expressions may share subtrees, so that walking every path could take forever. */
const extents = new WeakMap<object, Extent>();

/** Nodes of expressions that are walked along every path: to remember extents takes longer. */
const FEW_NODES = 64;

/** Depth and size of an expression. */
export const extentOf = (root: Micheline): Extent => new ExtentOfFew().of(root) ?? keptExtentOf(root);

/** Walks an expression of few nodes. */
class ExtentOfFew {
  #nodes = 0;
  #bytes = 0;

  /** Undefined when the paths have more nodes. */
  of(root: Micheline): Extent | undefined {
    const depth = this.#depthOf(root);
    return this.#nodes > FEW_NODES ? undefined : { depth, bytes: this.#bytes };
  }

  #depthOf(node: Micheline): number {
    if (++this.#nodes > FEW_NODES) return 0;
    this.#bytes += ownBytes(node);
    let depth = 0;
    for (const child of childrenOfNode(node)) depth = Math.max(depth, this.#depthOf(child));
    return depth + 1;
  }
}

/** Computed once per shared subtree. */
function keptExtentOf(root: Micheline): Extent {
  const cached = extents.get(root);
  if (cached) return cached;
  // Children first, on an explicit stack: an expression may nest deeper than the call stack allows.
  const pending: Micheline[] = [root];
  while (pending.length > 0) {
    const node = pending[pending.length - 1]!;
    if (extents.has(node)) {
      pending.pop();
      continue;
    }
    const missing = childrenOfNode(node).filter((child) => hasChildren(child) && !extents.has(child));
    if (missing.length > 0) {
      for (const child of missing) pending.push(child);
      continue;
    }
    pending.pop();
    if (hasChildren(node) || node === root) extents.set(node, extentFrom(node));
  }
  return extents.get(root)!;
}

const NO_NODES: readonly Micheline[] = [];
const childrenOfNode = (node: Micheline): readonly Micheline[] =>
  isSequence(node) ? node : isPrim(node) ? (node.args ?? NO_NODES) : NO_NODES;
const hasChildren = (node: Micheline): boolean => childrenOfNode(node).length > 0;

/** @pre the extents of all children that have children are cached */
function extentFrom(node: Micheline): Extent {
  let depth = 0;
  let bytes = ownBytes(node);
  for (const child of childrenOfNode(node)) {
    const inner = extents.get(child) ?? { depth: 1, bytes: ownBytes(child) };
    depth = Math.max(depth, inner.depth);
    bytes += inner.bytes;
  }
  return { depth: depth + 1, bytes };
}

function ownBytes(node: Micheline): number {
  if (isSequence(node)) return 5;
  if ("int" in node) return 2 + digitsAt(node) / 2;
  if ("string" in node) return 5 + node.string.length;
  if ("bytes" in node) return 5 + node.bytes.length / 2;
  return 6 + (node.annots?.reduce((sum, annotation) => sum + annotation.length + 1, 0) ?? 0);
}

/** Lists of a given length. */
interface OfLength<T> {
  0: readonly [];
  1: readonly [T];
  2: readonly [T, T];
  3: readonly [T, T, T];
  4: readonly [T, T, T, T];
}

/** Arguments of a primitive of that arity. */
export type Arguments<N extends keyof OfLength<unknown>> = OfLength<Micheline>[N];

/** Whether there are that many arguments; narrows their type to a tuple. */
export const hasArity = <N extends keyof OfLength<unknown>>(
  args: readonly Micheline[],
  count: N,
): args is Arguments<N> => args.length === count;
