// Reads Micheline data whose type the caller knows; each function returns undefined for a value of another form.
import { fromHex } from "./hex.ts";
import { type Micheline, isPrim, isSequence, prim } from "./micheline.ts";

type Given = Micheline | undefined;

/** An integer. */
export function asInteger(value: Given): bigint | undefined {
  return value !== undefined && !isSequence(value) && "int" in value ? BigInt(value.int) : undefined;
}

/** A natural number. */
export function asNatural(value: Given): bigint | undefined {
  const number = asInteger(value);
  return number === undefined || number < 0n ? undefined : number;
}

export function asText(value: Given): string | undefined {
  return value !== undefined && !isSequence(value) && "string" in value ? value.string : undefined;
}

export function asBytes(value: Given): Uint8Array | undefined {
  return value !== undefined && !isSequence(value) && "bytes" in value ? fromHex(value.bytes) : undefined;
}

/** The content of an option, null when it is None. */
export function asOption(value: Given): Micheline | null | undefined {
  if (value === undefined || !isPrim(value)) return undefined;
  if (value.prim === "None") return null;
  return value.prim === "Some" ? value.args?.[0] : undefined;
}

/** The arguments of an application of this name, such as a side of an `or`. */
export function asApplication(value: Given, name: string): readonly Micheline[] | undefined {
  return value !== undefined && isPrim(value) && value.prim === name ? (value.args ?? []) : undefined;
}

/** The argument of an application with a single one. */
export const onlyArgument = (value: Given): Micheline | undefined =>
  value !== undefined && isPrim(value) && value.args?.length === 1 ? value.args[0] : undefined;

/** Both halves of a pair, also when it is written as a longer comb or a sequence. */
export function asPair(value: Given): readonly [Micheline, Micheline] | undefined {
  if (value === undefined) return undefined;
  const parts = isSequence(value) ? value : (asApplication(value, "Pair") ?? []);
  const [first, second] = parts;
  if (first === undefined || second === undefined) return undefined;
  return [first, parts.length === 2 ? second : prim("Pair", ...parts.slice(1))];
}

/** Fields of a pair, however its pairs nest to the right; any other value is a single field. */
export function combOf(value: Given): readonly Micheline[] {
  const fields: Micheline[] = [];
  let rest = value;
  for (;;) {
    if (rest === undefined) return fields;
    if (isSequence(rest)) return [...fields, ...rest];
    const args: readonly Micheline[] = asApplication(rest, "Pair") ?? [];
    if (args.length === 0) return [...fields, rest];
    for (const field of args.slice(0, -1)) fields.push(field);
    rest = args[args.length - 1];
  }
}
