// Describes a type as a JSON template of its values, as TzKT does for the parameters of entrypoints.
// Source of the form: Netezos, `Schema.Humanize()`.
import type { HumanField, HumanType } from "./human-type.ts";
import { isFlat, type Json, putField } from "./human-value.ts";

/** A template of the type's values, under a key that names the kind. */
export const typeJson = (type: HumanType): Json => ({ [`schema:${signature(type)}`]: shape(type) });

function signature(type: HumanType): string {
  switch (type.prim) {
    case "pair":
      return "object";
    case "option":
      return `?${signature(type.args[0])}`;
    case "list":
    case "set":
      return `${type.prim}:${signature(type.args[0])}`;
    case "map":
    case "big_map": {
      const [key, value] = type.args;
      return `${type.prim}${isFlat(key) ? "_flat" : ""}:${signature(key)}:${signature(value)}`;
    }
    default:
      return type.prim;
  }
}

function shape(type: HumanType): Json {
  switch (type.prim) {
    case "pair":
      return objectOf(type.fields);
    case "or":
      return objectOf([...type.variants.values()]);
    case "option":
      return shape(type.args[0]);
    case "list":
    case "set":
      return [shape(type.args[0])];
    case "map":
    case "big_map": {
      const [key, value] = type.args;
      if (isFlat(key)) return { [key.prim]: shape(value) };
      const entry = [
        { name: "key", type: key },
        { name: "value", type: value },
      ];
      return [objectOf(entry)];
    }
    default:
      return type.prim;
  }
}

function objectOf(fields: readonly HumanField[]): Json {
  const object: Record<string, Json> = {};
  for (const { name, type } of fields) putField(object, `${name}:${signature(type)}`, shape(type));
  return object;
}
