// Parses bodies of operations for the queue: JSON, shape, hash, signature. Pure, because large ones are read in a
// separate thread.
import { parseExact } from "../../protocol/exact-json.ts";
import { type Digest, type Operation, operationHash } from "../../protocol/runtime-operation.ts";
import type { Address } from "../../tezos/address.ts";
import { toHex } from "../../tezos/hex.ts";
import { MalformedJson } from "../../tezos/json-fields.ts";
import {
  type DecodedSignedOperation,
  decodeOperation,
  decodeSignedOperation,
  MAX_HEADERS,
} from "./decode.ts";
import { signatureRefusal } from "./verify.ts";

/** A signed operation whose signature has been checked. */
export interface CheckedOperation {
  readonly operation: Operation;
  /** Address of the signer's key. */
  readonly sender: Address;
  /** 64 hex digits. */
  readonly hash: string;
  /** Why the signature is invalid, or null. */
  readonly refusal: string | null;
}

/** The value of a body, or status and text of the error response. */
export type Reading<T> = { readonly value: T } | { readonly status: number; readonly text: string };

/** What a body is read for: an operation to execute, or its hash only. */
export interface Readings {
  readonly signed: CheckedOperation;
  readonly hash: string;
}

/** Nonces, amounts and limits are few, but header values may be numbers as well, and each may be a list of values. */
const JSON_LIMITS = { longIntegers: 1_000, containers: 100_000, members: MAX_HEADERS + 100 };

/**
 * @param strict whether to refuse what only this sandbox accepts
 * @param digest creates the BLAKE2b-256 for the hash; the default suits small inputs
 */
export function readOperation<K extends keyof Readings>(
  what: K,
  body: Uint8Array,
  strict: boolean,
  digest?: () => Digest,
): Reading<Readings[K]> {
  let json: unknown;
  try {
    json = parseExact(Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8"), JSON_LIMITS);
  } catch (error) {
    return { status: 400, text: `Failed to parse the request body as JSON: ${(error as Error).message}` };
  }
  try {
    return { value: READERS[what](json, strict, digest) as Readings[K] };
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    return {
      status: 422,
      text: `Failed to deserialize the JSON body into the target type: ${error.message}`,
    };
  }
}

const READERS = {
  signed: (json: unknown, strict: boolean, digest?: () => Digest) =>
    checkSigned(decodeSignedOperation(json, strict), digest),
  hash: (json: unknown, strict: boolean, digest?: () => Digest) =>
    toHex(operationHash(decodeOperation(json, strict).operation, digest?.())),
};

/** Hashes an operation and checks its signature. */
export function checkSigned(signed: DecodedSignedOperation, digest?: () => Digest): CheckedOperation {
  const hash = operationHash(signed.operation, digest?.());
  const { operation, key } = signed;
  return { operation, sender: key.address, hash: toHex(hash), refusal: signatureRefusal(signed, hash) };
}
