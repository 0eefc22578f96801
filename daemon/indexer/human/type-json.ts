// Describes a type as a JSON template of its values, as TzKT does for the parameters of entrypoints.
// Source of the form: Netezos, `Schema.Humanize()`.
import type { HumanType } from "./human-type.ts";
import { isFlat, type Json, putField } from "./human-value.ts";

/** A template of the type's values, under a key that names the kind. */
export const typeJson = (type: HumanType): Json => ({ [`schema:${signature(type)}`]: shape(type) });

function signature({ prim, args }: HumanType): string {
  switch (prim) {
    case "pair":
      return "object";
    case "option":
      return `?${signature(args[0]!)}`;
    case "list":
    case "set":
      return `${prim}:${signature(args[0]!)}`;
    case "map":
    case "big_map":
      return `${prim}${isFlat(args[0]!) ? "_flat" : ""}:${signature(args[0]!)}:${signature(args[1]!)}`;
    default:
      return prim;
  }
}

function shape(type: HumanType): Json {
  const { prim, args } = type;
  switch (prim) {
    case "pair":
      return objectOf(type.fields!.map(({ name, type: field }) => [name, field]));
    case "or":
      return objectOf([...type.variants!.values()].map(({ name, type: end }) => [name, end]));
    case "option":
      return shape(args[0]!);
    case "list":
    case "set":
      return [shape(args[0]!)];
    case "map":
    case "big_map":
      return isFlat(args[0]!)
        ? { [args[0]!.prim]: shape(args[1]!) }
        : [
            objectOf([
              ["key", args[0]!],
              ["value", args[1]!],
            ]),
          ];
    default:
      return prim;
  }
}

function objectOf(fields: readonly (readonly [name: string, type: HumanType])[]): Json {
  const object: Record<string, Json> = {};
  for (const [name, type] of fields) putField(object, `${name}:${signature(type)}`, shape(type));
  return object;
}
