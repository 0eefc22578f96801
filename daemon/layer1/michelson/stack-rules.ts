// Equality of stack types, which branches and loops require.
import type { Micheline } from "../../tezos/micheline.ts";
import { type Scope, inconsistentTypes } from "./instruction.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";
import type { StackType } from "./stack-type.ts";

/**
 * Compares two stacks item by item, charging up to the first difference.
 * @param refusal outermost error
 * @throws MichelsonError
 */
export function requireSameStack(
  a: StackType,
  b: StackType,
  scope: Scope,
  node: Micheline,
  refusal: () => MichelsonError,
): void {
  const difference = a.compareWith(b, scope.gas);
  if (difference === "same") return;
  if (difference === "length")
    throw new MichelsonError(...refusal().errors, permanent("michelson_v1.inconsistent_stack_lengths"));
  throw new MichelsonError(
    ...refusal().errors,
    permanent("michelson_v1.bad_stack_item", { item_level: difference.item }),
    ...inconsistentTypes(difference.a, difference.b, scope.location(node)).errors,
  );
}
