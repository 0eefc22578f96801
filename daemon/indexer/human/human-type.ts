// Types of Michelson as people read their values: pairs as objects with named fields. The names are TzKT's:
// the annotation, else the name of the type, numbered where a pair has it twice.
// Source of the rules: Netezos, `Contracts/Schemas`.
import { isPrim, type Micheline } from "../../tezos/micheline.ts";

export interface HumanType {
  readonly prim: string;
  /** Field annotation: where it is in a parameter, it names an entrypoint. */
  readonly field: string | undefined;
  /** What a field of this type is called in an object. */
  readonly name: string;
  /** Whether the name is one that the author gave. */
  readonly isNamed: boolean;
  readonly args: readonly HumanType[];
  /** Of a pair: its fields in their order, those of nested pairs without a name among them. */
  readonly fields?: readonly HumanField[];
  /** Of an `or`: its ends, by the way to them. */
  readonly variants?: ReadonlyMap<string, { readonly name: string; readonly type: HumanType }>;
  readonly micheline: Micheline;
}

export interface HumanField {
  readonly name: string;
  readonly type: HumanType;
}

/** Depth from which on a type is not looked into: none of a script that layer 1 accepts is so deep. */
const MAX_TYPE_DEPTH = 400;

/** Reads a type. What is no type becomes one whose values are shown as they are. */
export const humanType = (node: Micheline | undefined): HumanType => typeAt(node, 0, false);

/** @param isInPair its fields are among those of the pair around it, unless it has a name */
function typeAt(node: Micheline | undefined, depth: number, isInPair: boolean): HumanType {
  if (node === undefined || !isPrim(node) || depth > MAX_TYPE_DEPTH) return opaque(node ?? []);
  const field = annotation(node.annots, "%");
  const given = plain(field ?? annotation(node.annots, ":"));
  const { prim } = node;
  const written = node.args ?? [];
  const args =
    prim === "pair" && written.length > 2
      ? [typeAt(written[0], depth + 1, true), typeAt({ prim, args: written.slice(1) }, depth + 1, true)]
      : written.map((arg) => typeAt(arg, depth + 1, prim === "pair"));
  const base = { prim, field, name: given ?? innerName(prim, args), isNamed: given !== undefined, args };
  const type = { ...base, micheline: node };
  // A comb of hundreds would have as many lists of hundreds.
  if (prim === "pair")
    return isInPair && !base.isNamed ? type : { ...type, fields: numbered(fieldsOf(args)) };
  if (prim === "or") return { ...type, variants: variantsOf(args) };
  return type;
}

const opaque = (micheline: Micheline): HumanType => ({
  prim: "",
  field: undefined,
  name: "value",
  isNamed: false,
  args: [],
  micheline,
});

/** What the protocol takes for an annotation has no other characters than a name may have, but for a few. */
const plain = (name: string | undefined): string | undefined => {
  const letters = name?.replace(/[^A-Za-z0-9_]/g, "");
  return letters === "" ? undefined : letters;
};

function annotation(annots: readonly string[] | undefined, sign: string): string | undefined {
  const found = annots?.find((annot) => annot.startsWith(sign) && annot.length > 1);
  return found?.slice(1);
}

/** Names of types that pass on that of what they hold. */
function innerName(prim: string, args: readonly HumanType[]): string {
  const [first, second] = args;
  switch (prim) {
    case "option":
      return first === undefined ? prim : first.isNamed ? first.name : first.prim;
    case "list":
    case "set":
      return first?.isNamed ? first.name : prim;
    case "map":
    case "big_map":
      return second?.isNamed ? second.name : prim;
    default:
      return prim;
  }
}

function fieldsOf(args: readonly HumanType[]): readonly HumanField[] {
  return args.flatMap((arg) =>
    arg.prim === "pair" && !arg.isNamed ? [...fieldsOf(arg.args)] : [{ name: arg.name, type: arg }],
  );
}

function numbered(fields: readonly HumanField[]): readonly HumanField[] {
  const count = new Map<string, number>();
  for (const { name } of fields) count.set(name, (count.get(name) ?? 0) + 1);
  const next = new Map<string, number>();
  return fields.map((field) => {
    if (count.get(field.name) === 1) return field;
    const index = next.get(field.name) ?? 0;
    next.set(field.name, index + 1);
    return { ...field, name: `${field.name}_${index}` };
  });
}

function variantsOf(args: readonly HumanType[]): NonNullable<HumanType["variants"]> {
  const ends: { readonly path: string; readonly type: HumanType }[] = [];
  const walk = (arg: HumanType, path: string): void => {
    if (arg.prim !== "or") return void ends.push({ path, type: arg });
    arg.args.forEach((inner, i) => walk(inner, path + (i === 0 ? "L" : "R")));
  };
  args.forEach((arg, i) => walk(arg, i === 0 ? "L" : "R"));
  const named = numbered(ends.map(({ path, type }) => ({ name: type.isNamed ? type.name : path, type })));
  return new Map(ends.map(({ path, type }, i) => [path, { name: named[i]!.name, type }]));
}
