// Michelson types for readable values: pairs become objects with named fields. The names are TzKT's: the annotation,
// otherwise the type's name, numbered when a pair has it twice.
// Source of the rules: Netezos, `Contracts/Schemas`.
import { isPrim, type Micheline } from "../../tezos/micheline.ts";

/** Types whose values are shown without a look at types inside. */
const LEAVES = [
  "address",
  "bool",
  "bytes",
  "chain_id",
  "contract",
  "int",
  "key",
  "key_hash",
  "lambda",
  "mutez",
  "nat",
  "never",
  "operation",
  "signature",
  "string",
  "timestamp",
  "unit",
  "bls12_381_fr",
  "bls12_381_g1",
  "bls12_381_g2",
  "chest",
  "chest_key",
  "sapling_state",
  "sapling_transaction",
  "sapling_transaction_deprecated",
] as const;
const UNARY = ["option", "list", "set", "ticket"] as const;
const MAPS = ["map", "big_map"] as const;

interface Common {
  /** Field annotation; in a parameter it names an entrypoint. */
  readonly field: string | undefined;
  /** Name of a field of this type in an object. */
  readonly name: string;
  /** Whether the author chose the name. */
  readonly isNamed: boolean;
  readonly micheline: Micheline;
}

interface Named<Prim extends string, Args> extends Common {
  readonly prim: Prim;
  readonly args: Args;
}

/** A pair that becomes an object. */
export interface PairType extends Named<"pair", readonly [Member, Member]> {
  /** Its fields in order, including those of nested unnamed pairs. */
  readonly fields: readonly HumanField[];
}

/** An unnamed pair in a pair: its fields are those of the outer one. */
interface InnerPair extends Named<"pair", readonly [Member, Member]> {
  readonly isNamed: false;
}

/** What a pair consists of. */
export type Member = HumanType | InnerPair;

export interface OrType extends Named<"or", readonly [HumanType, HumanType]> {
  /** Its leaves by path. */
  readonly variants: ReadonlyMap<string, HumanField>;
}

export type MapType = Named<(typeof MAPS)[number], readonly [key: HumanType, value: HumanType]>;

/** A type; its name determines its arity. Types without a name are opaque. */
export type HumanType =
  | PairType
  | OrType
  | MapType
  | Named<(typeof UNARY)[number], readonly [HumanType]>
  | Named<(typeof LEAVES)[number] | "", readonly []>;

export interface HumanField {
  readonly name: string;
  readonly type: HumanType;
}

/** Deeper types are opaque; layer 1 accepts no script with such a type. */
const MAX_TYPE_DEPTH = 400;

/** Parses a type. Anything else becomes an opaque type, whose values are shown as Micheline. */
export const humanType = (node: Micheline | undefined): HumanType => typeAt(node, 0);

function typeAt(node: Micheline | undefined, depth: number): HumanType {
  const type = memberAt(node, depth);
  return type.prim !== "pair" || "fields" in type ? type : { ...type, fields: fieldsOf(type.args) };
}

/** As {@link typeAt}, but without the fields of an unnamed pair: those at every level of a long comb would take quadratic memory. */
function memberAt(node: Micheline | undefined, depth: number): Member {
  if (node === undefined || !isPrim(node) || depth > MAX_TYPE_DEPTH) return opaque(node ?? []);
  const field = annotation(node.annots, "%");
  const given = plain(field ?? annotation(node.annots, ":"));
  const { prim, args: written = [] } = node;
  const common = { field, name: given ?? prim, isNamed: given !== undefined, micheline: node };
  const [first, second] = written;
  if (prim === "pair" && written.length >= 2) {
    const rest = written.length > 2 ? { prim, args: written.slice(1) } : second;
    const args = [memberAt(first, depth + 1), memberAt(rest, depth + 1)] as const;
    if (given === undefined) return { ...common, isNamed: false, prim, args };
    return { ...common, prim, args, fields: fieldsOf(args) };
  }
  if (prim === "or" && written.length === 2) {
    const args = [typeAt(first, depth + 1), typeAt(second, depth + 1)] as const;
    return { ...common, prim, args, variants: variantsOf(args) };
  }
  if (isMap(prim) && written.length === 2) {
    const [key, value] = [typeAt(first, depth + 1), typeAt(second, depth + 1)];
    return { ...common, name: given ?? (value.isNamed ? value.name : prim), prim, args: [key, value] };
  }
  if (isUnary(prim) && written.length === 1) {
    const arg = typeAt(first, depth + 1);
    return { ...common, name: given ?? innerName(prim, arg), prim, args: [arg] };
  }
  return { ...common, prim: isLeaf(prim) ? prim : "", args: [] };
}

function guardOf<T extends string>(names: readonly T[]): (prim: string) => prim is T {
  const known: ReadonlySet<string> = new Set(names);
  return (prim): prim is T => known.has(prim);
}
const isLeaf = guardOf(LEAVES);
const isUnary = guardOf(UNARY);
const isMap = guardOf(MAPS);

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
function innerName(prim: (typeof UNARY)[number], arg: HumanType): string {
  switch (prim) {
    case "option":
      return arg.isNamed || arg.prim === "" ? arg.name : arg.prim;
    case "list":
    case "set":
      return arg.isNamed ? arg.name : prim;
    case "ticket":
      return prim;
  }
}

function fieldsOf(args: PairType["args"]): readonly HumanField[] {
  const fields: HumanField[] = [];
  const collect = (member: Member): void => {
    if (member.prim === "pair" && !("fields" in member)) member.args.forEach(collect);
    else fields.push({ name: member.name, type: member });
  };
  args.forEach(collect);
  return numberNames(fields);
}

/** Numbers the names that several fields have. */
function numberNames<Field extends HumanField>(fields: readonly Field[]): readonly Field[] {
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

function variantsOf([left, right]: OrType["args"]): OrType["variants"] {
  const ends: (HumanField & { readonly path: string })[] = [];
  const walk = (type: HumanType, path: string): void => {
    if (type.prim !== "or") return void ends.push({ path, name: type.isNamed ? type.name : path, type });
    walk(type.args[0], `${path}L`);
    walk(type.args[1], `${path}R`);
  };
  walk(left, "L");
  walk(right, "R");
  return new Map(numberNames(ends).map(({ path, name, type }) => [path, { name, type }]));
}
