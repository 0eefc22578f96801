// Rules of instructions about whole types, with errors that name the offending component.
import type { Micheline } from "../../tezos/micheline.ts";
import { CHECK_DATUM } from "./check-costs.ts";
import type { Scope } from "./instruction.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";
import { UNEXPECTED } from "./type-errors.ts";
import { type Type, isComparable, isDuplicable, plainType } from "./type.ts";

/** The first component that forbids packing. Arguments of lambdas and keys of maps and sets are not searched. */
function unpackablePart(t: Type, allowContract: boolean): keyof typeof UNEXPECTED | undefined {
  switch (t.prim) {
    case "big_map":
    case "operation":
    case "ticket":
      return t.prim;
    case "contract":
      return allowContract ? undefined : t.prim;
    case "pair":
    case "or":
      return unpackablePart(t.args[0], allowContract) ?? unpackablePart(t.args[1], allowContract);
    case "option":
    case "list":
      return unpackablePart(t.args[0], allowContract);
    case "map":
      return unpackablePart(t.args[1], allowContract);
    default:
      return undefined;
  }
}

/** @throws MichelsonError unpackable_type and the offending type */
export function requirePackable(t: Type, allowContract: boolean, node: Micheline, scope: Scope): void {
  const found = unpackablePart(t, allowContract);
  if (found === undefined) return;
  const loc = scope.location(node);
  throw new MichelsonError(permanent("michelson_v1.unpackable_type", { loc }), UNEXPECTED[found](loc));
}

/** Number of components searched to find out whether a type is duplicable. */
function duplicableParts(t: Type): number {
  switch (t.prim) {
    case "pair":
    case "or":
      return 1 + duplicableParts(t.args[0]) + duplicableParts(t.args[1]);
    case "option":
    case "list":
      return 1 + duplicableParts(t.args[0]);
    case "map":
    case "big_map":
      return 1 + duplicableParts(t.args[1]);
    default:
      return 1;
  }
}

/** Results by type: scripts ask for the same ones repeatedly. */
const cache = new WeakMap<Type, number>();

/** Charges for the search and requires a duplicable type. @throws MichelsonError non_dupable_type > unexpected_ticket */
export function requireDuplicable(t: Type, node: Micheline, scope: Scope): void {
  let parts = cache.get(t);
  if (parts === undefined) cache.set(t, (parts = duplicableParts(t)));
  scope.gas.spend(CHECK_DATUM * parts);
  if (isDuplicable(t)) return;
  const loc = scope.location(node);
  throw new MichelsonError(
    permanent("michelson_v1.non_dupable_type", { loc, type: plainType(t) }),
    UNEXPECTED.ticket(loc),
  );
}

/** @throws MichelsonError comparable_type_expected */
export function requireComparable(t: Type, node: Micheline, scope: Scope): void {
  if (isComparable(t)) return;
  throw new MichelsonError(
    permanent("michelson_v1.comparable_type_expected", {
      location: scope.location(node),
      wrong_type: plainType(t),
    }),
  );
}
