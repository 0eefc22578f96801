// Contains unexpected exceptions while an operation is applied: it fails in its receipt like any other, and the chain
// continues.
import { BlsNeeded } from "../../tezos/curves.ts";
import { MichelsonError, temporary } from "../michelson/michelson-error.ts";

/**
 * The failure for the receipt. Exceptions that no rule foresees are bugs and also go to `onFault`.
 * @throws BlsNeeded again: the caller loads the library and starts over
 */
export function failureOf(error: unknown, onFault: (error: unknown) => void): MichelsonError {
  if (error instanceof MichelsonError) return error;
  if (error instanceof BlsNeeded) throw error;
  // A value can exceed the call stack or the longest string before its gas runs out.
  if (error instanceof RangeError) return new MichelsonError(temporary("sandbox.value_too_large"));
  onFault(error);
  return new MichelsonError(temporary("sandbox.internal_error"));
}
