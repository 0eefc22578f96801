// Michelson types for readable values: pairs become objects with named fields. The names are TzKT's: the annotation,
// otherwise the type's name, numbered when a pair has it twice.
// Source of the rules: Netezos, `Contracts/Schemas`.
import { isPrim, type Micheline } from "../../tezos/micheline.ts";

export interface HumanType {
  readonly prim: string;
  /** Field annotation; in a parameter it names an entrypoint. */
  readonly field: string | undefined;
  /** Name of a field of this type in an object. */
  readonly name: string;
  /** Whether the author chose the name. */
  readonly isNamed: boolean;
  readonly args: readonly HumanType[];
  /** For a pair: its fields in order, including those of nested unnamed pairs. */
  readonly fields?: readonly HumanField[];
  /** For an `or`: its leaves by path. */
  readonly variants?: ReadonlyMap<string, { readonly name: string; readonly type: HumanType }>;
  readonly micheline: Micheline;
}

export interface HumanField {
  readonly name: string;
  readonly type: HumanType;
}

/** Deeper types are opaque; layer 1 accepts no script with such a type. */
const MAX_TYPE_DEPTH = 400;

/** Parses a type. Anything else becomes an opaque type, whose values are shown as Micheline. */
export const humanType = (node: Micheline | undefined): HumanType => typeAt(node, 0, false);

/** @param isInPair fields join those of the surrounding pair, unless the type has a name */
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
  // Lists at every level of a long comb would take quadratic memory.
  if (prim === "pair")
    return isInPair && !base.isNamed ? type : { ...type, fields: numberFields(fieldsOf(args)) };
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

/** Removes the characters that annotations may have and names may not; undefined if none remain. */
const plain = (name: string | undefined): string | undefined => {
  const letters = name?.replace(/[^A-Za-z0-9_]/g, "");
  return letters === "" ? undefined : letters;
};

function annotation(annots: readonly string[] | undefined, sign: string): string | undefined {
  const found = annots?.find((annot) => annot.startsWith(sign) && annot.length > 1);
  return found?.slice(1);
}

/** The name of a wrapper type is that of its content. */
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

function numberFields(fields: readonly HumanField[]): readonly HumanField[] {
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
  const named = numberFields(ends.map(({ path, type }) => ({ name: type.isNamed ? type.name : path, type })));
  return new Map(ends.map(({ path, type }, i) => [path, { name: named[i]!.name, type }]));
}
