// Requires the order of elements in literals of sets and maps.
import type { Micheline } from "../../tezos/micheline.ts";
import { compareCost } from "./costs.ts";
import type { GasMeter } from "./gas.ts";
import { MichelsonError, type ProtocolErrorFields, permanent } from "./michelson-error.ts";
import type { Type } from "./type.ts";
import { type Value, compareValues } from "./value.ts";

interface OrderErrors {
  readonly unordered: OrderError;
  readonly duplicate: OrderError;
}
type OrderError = (location: number, shown: Micheline) => ProtocolErrorFields;

export const SET_ORDER: OrderErrors = {
  unordered: (location, value) => permanent("michelson_v1.unordered_set_literal", { location, value }),
  duplicate: (location, value) =>
    permanent("michelson_v1.duplicate_set_values_in_literal", { location, value }),
};
export const MAP_ORDER: OrderErrors = {
  unordered: (location, item) => permanent("michelson_v1.unordered_map_literal", { location, item }),
  duplicate: (location, item) => permanent("michelson_v1.duplicate_map_keys", { location, item }),
};

/**
 * Requires that a key comes after the previous one, and charges for the comparison.
 * @throws MichelsonError one of `errors`, with the location and the whole literal
 */
export function requireAscending(
  t: Type,
  last: Value,
  next: Value,
  gas: GasMeter,
  { unordered, duplicate }: OrderErrors,
  location: number,
  literal: Micheline,
): void {
  gas.spend(compareCost(t, last, next));
  const order = compareValues(t, last, next);
  if (order >= 0) throw new MichelsonError((order === 0 ? duplicate : unordered)(location, literal));
}
