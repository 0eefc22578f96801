// What checking the signature of an operation costs: its first content pays for it.
// Source: Octez, `operation_costs.ml`.
import { keyHashBytes } from "../../tezos/address.ts";
import { signatureCost } from "../michelson/costs.ts";

export const BLS_CURVE = 3;
export const BLS_KEY_BYTES = 48;

/** Milligas of writing so many bytes down and checking a signature of them. */
export const signedCost = (curve: number, bytes: number): number => 32 * bytes + signatureCost(curve, bytes);

/** @param bytes of the operation without its signature */
export const operationSignatureCost = (source: string, bytes: number): number =>
  signedCost(keyHashBytes(source)?.[0] ?? 0, bytes);
