// Micheline, the tree in which Michelson code, types and data are written: shape, guards, small constructors.

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

/** Deepest nesting that is accepted; recursion over a tree of this depth is safe on the default stack. */
export const MAX_DEPTH = 1_000;
/** Most nodes in one expression, so that a small request cannot ask for a huge walk. */
export const MAX_NODES = 200_000;

export const prim = (name: string, ...args: readonly Micheline[]): MichelinePrim =>
  args.length === 0 ? { prim: name } : { prim: name, args };

export function isPrim(node: Micheline): node is MichelinePrim {
  return !Array.isArray(node) && "prim" in node;
}

export const isSequence = (node: Micheline): node is readonly Micheline[] => Array.isArray(node);

/**
 * Checks that a JSON value from outside is Micheline, without recursion, so that no depth of nesting can hurt.
 * @returns undefined when it is not.
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
    for (const child of children) pending.push({ node: child, depth: depth + 1 });
  }
  return json as Micheline;
}

/** Children of one well-formed node, or undefined when the node itself is malformed. */
function childrenOf(node: object): readonly unknown[] | undefined {
  if (Array.isArray(node)) return node;
  const keys = Object.keys(node);
  const fields = node as Readonly<Record<string, unknown>>;
  if (keys.length === 1 && keys[0] !== "prim") {
    const value = fields[keys[0]!];
    if (typeof value !== "string") return undefined;
    if (keys[0] === "int") return /^-?\d{1,20000}$/.test(value) ? [] : undefined;
    if (keys[0] === "bytes") return /^([0-9a-fA-F]{2})*$/.test(value) ? [] : undefined;
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
