// Cost of checking an operation's signature, charged to its first content.
// Source: Octez, `operation_costs.ml`.
import { keyHashBytes } from "../../tezos/address.ts";
import { signatureCost } from "../michelson/costs.ts";

export const BLS_CURVE = 3;
export const BLS_KEY_BYTES = 48;

/** Milligas of serializing that many bytes and checking a signature over them. */
export const signedCost = (curve: number, bytes: number): number => 32 * bytes + signatureCost(curve, bytes);

/** @param bytes length of the operation without its signature */
export const operationSignatureCost = (source: string, bytes: number): number =>
  signedCost(keyHashBytes(source)?.[0] ?? 0, bytes);
