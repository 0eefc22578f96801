// Bytes of a signed operation in the binary form by which the real node measures it: bincode with fixed-width
// little-endian numbers. Read from the sources of Jstz (crates/jstz_proto), see UPSTREAM in real-runtime.ts.
import { LIMITS } from "./real-runtime.ts";
import type { DeployFunction, HeaderRecord, RunFunction } from "./runtime-operation.ts";

/** Lengths and numbers, and the tags of variants. */
const NUMBER = 8;
const TAG = 4;
/** Every signature has 64 bytes. Keys have 32 bytes on Ed25519 and 33 on the other curves. */
const SIGNATURE = TAG + NUMBER + 64;
const keyBytes = (publicKey: string): number => TAG + NUMBER + (publicKey.startsWith("edpk") ? 32 : 33);

const textBytes = (text: string): number => NUMBER + Buffer.byteLength(text);

function headerBytes(headers: HeaderRecord): number {
  let bytes = NUMBER;
  for (const [name, values] of Object.entries(headers)) {
    bytes += textBytes(name) + NUMBER;
    for (const value of [values].flat()) bytes += textBytes(value);
  }
  return bytes;
}

/**
 * Bytes of an operation with its signature and without a verifier.
 * @param publicKey the signer's, in Base58
 */
export function operationBytes(publicKey: string, content: DeployFunction | RunFunction): number {
  const head = SIGNATURE + keyBytes(publicKey) + NUMBER + TAG;
  const verifier = 1;
  if (content._type === "DeployFunction") return head + textBytes(content.functionCode) + NUMBER + verifier;
  const body = 1 + (content.body === null ? 0 : textBytes(content.body));
  const call = textBytes(content.uri) + textBytes(content.method) + headerBytes(content.headers);
  return head + call + body + NUMBER + verifier;
}

/** The limit of the real node for an operation of this kind. */
export const operationLimit = (content: DeployFunction | RunFunction): number =>
  content._type === "DeployFunction" ? LIMITS.deployBytes : LIMITS.operationBytes;
