// Michelson types as text, and an example value of each.

export type Micheline =
  | { readonly prim: string; readonly args?: readonly Micheline[]; readonly annots?: readonly string[] }
  | { readonly int: string }
  | { readonly string: string }
  | { readonly bytes: string }
  | readonly Micheline[];

/** A type in one line. */
export function typeText(type: Micheline, isInner = false): string {
  if (!("prim" in type)) return "…";
  const { prim, args = [], annots = [] } = type;
  if (args.length === 0 && annots.length === 0) return prim;
  const text = [prim, ...annots, ...args.map((arg) => typeText(arg, true))].join(" ");
  return isInner ? `(${text})` : text;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  unit: "Unit",
  int: "0",
  nat: "0",
  mutez: "0",
  string: '"text"',
  bytes: "0x",
  bool: "True",
  timestamp: '"2030-01-01T00:00:00Z"',
  address: '"tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV"',
  key_hash: '"tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV"',
  contract: '"tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV"',
  list: "{}",
  set: "{}",
  map: "{}",
  big_map: "{}",
  lambda: "{}",
  option: "None",
};

/** An example value of a type, for the user to edit. */
export function exampleOf(type: Micheline, isInner = false): string {
  if (!("prim" in type)) return "Unit";
  const { prim, args = [] } = type;
  const wrap = (text: string): string => (isInner ? `(${text})` : text);
  if (prim === "pair") return wrap(`Pair ${args.map((arg) => exampleOf(arg, true)).join(" ")}`);
  if (prim === "or" && args[0]) return wrap(`Left ${exampleOf(args[0], true)}`);
  return EXAMPLES[prim] ?? "Unit";
}
