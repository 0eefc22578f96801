// What an operation that was meant to be carried out does when something throws that is no rule of the protocol:
// it fails in its receipt like any other, and the chain goes on.
import { BlsNeeded } from "../../tezos/curves.ts";
import { MichelsonError, temporary } from "../michelson/michelson-error.ts";

/**
 * The failure that stands in the receipt. What no rule foresees is told to `onFault` as well: it is a mistake of ours.
 * @throws BlsNeeded again, because whoever started the operation loads them and starts over
 */
export function failureOf(error: unknown, onFault: (error: unknown) => void): MichelsonError {
  if (error instanceof MichelsonError) return error;
  if (error instanceof BlsNeeded) throw error;
  // The host's stack or the length of its texts has an end; a value can reach it before its gas does.
  if (error instanceof RangeError) return new MichelsonError(temporary("sandbox.value_too_large"));
  onFault(error);
  return new MichelsonError(temporary("sandbox.internal_error"));
}
