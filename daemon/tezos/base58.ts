// Base58Check with the Tezos prefixes. Every address, key, hash and signature that we read or print goes
// through here. Prefix bytes: Octez source, `src/lib_crypto/base58.ml`.
import { hash } from "node:crypto";
import { decodeBase58Digits, encodeBase58Digits } from "./base58-digits.ts";

interface Kind {
  readonly prefix: readonly number[];
  readonly length: number;
}

/** Kinds of Base58Check values: prefix bytes and payload length in bytes. */
export const BASE58_KINDS = {
  tz1: { prefix: [6, 161, 159], length: 20 },
  tz2: { prefix: [6, 161, 161], length: 20 },
  tz3: { prefix: [6, 161, 164], length: 20 },
  tz4: { prefix: [6, 161, 166], length: 20 },
  KT1: { prefix: [2, 90, 121], length: 20 },
  sr1: { prefix: [6, 124, 117], length: 20 },
  src1: { prefix: [17, 165, 134, 138], length: 32 },
  edpk: { prefix: [13, 15, 37, 217], length: 32 },
  sppk: { prefix: [3, 254, 226, 86], length: 33 },
  p2pk: { prefix: [3, 178, 139, 127], length: 33 },
  BLpk: { prefix: [6, 149, 135, 204], length: 48 },
  edsk: { prefix: [13, 15, 58, 7], length: 32 },
  edsk64: { prefix: [43, 246, 78, 7], length: 64 },
  spsk: { prefix: [17, 162, 224, 201], length: 32 },
  p2sk: { prefix: [16, 81, 238, 189], length: 32 },
  edsig: { prefix: [9, 245, 205, 134, 18], length: 64 },
  spsig1: { prefix: [13, 115, 101, 19, 63], length: 64 },
  p2sig: { prefix: [54, 240, 44, 52], length: 64 },
  sig: { prefix: [4, 130, 43], length: 64 },
  BLsig: { prefix: [40, 171, 64, 207], length: 96 },
  blockHash: { prefix: [1, 52], length: 32 },
  operationHash: { prefix: [5, 116], length: 32 },
  operationListListHash: { prefix: [29, 159, 109], length: 32 },
  contextHash: { prefix: [79, 199], length: 32 },
  protocolHash: { prefix: [2, 170], length: 32 },
  chainId: { prefix: [87, 82, 0], length: 4 },
  scriptExpr: { prefix: [13, 44, 64, 27], length: 32 },
  blockPayloadHash: { prefix: [1, 106, 242], length: 32 },
  sh: { prefix: [2, 116, 180], length: 48 },
} as const satisfies Record<string, Kind>;

export type Base58Kind = keyof typeof BASE58_KINDS;

const digest = Buffer.alloc(32);

/** Four bytes as characters. Each buffer that Node would return takes longer to make than the hash. */
function checksum(bytes: Uint8Array): string {
  digest.write(hash("sha256", bytes, "binary"), "latin1");
  return hash("sha256", digest, "binary").slice(0, 4);
}

/** Base58Check text of a payload. @throws RangeError when the payload has the wrong length for its kind. */
export function encodeBase58(kind: Base58Kind, payload: Uint8Array): string {
  const { prefix, length } = BASE58_KINDS[kind];
  if (payload.length !== length) {
    throw new RangeError(`${kind} needs ${length} bytes, found ${payload.length}`);
  }
  const end = prefix.length + length;
  const bytes = new Uint8Array(end + 4);
  bytes.set(prefix, 0);
  bytes.set(payload, prefix.length);
  const sum = checksum(bytes.subarray(0, end));
  for (let i = 0; i < 4; i++) bytes[end + i] = sum.charCodeAt(i);
  return encodeBase58Digits(bytes);
}

/** Payload bytes of a Base58Check text of the given kind, or undefined when it is not one. */
export function decodeBase58(kind: Base58Kind, text: string): Uint8Array | undefined {
  const { prefix, length } = BASE58_KINDS[kind];
  const bytes = rawBase58(text);
  if (!bytes || bytes.length !== prefix.length + length) return undefined;
  for (let i = 0; i < prefix.length; i++) if (bytes[i] !== prefix[i]) return undefined;
  return bytes.subarray(prefix.length);
}

/** Why a text is not valid Base58Check, for error messages. */
export type Base58Problem = "characters" | "length" | "checksum";

/** The first problem of a text as Base58Check, or undefined when it is valid. */
export function base58Problem(text: string): Base58Problem | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]*$/.test(text)) return "characters";
  if (text.length < 8 || text.length > 200) return "length";
  return rawBase58(text) ? undefined : "checksum";
}

/** Decoded bytes without checksum, or undefined when characters or checksum are wrong. */
function rawBase58(text: string): Uint8Array | undefined {
  if (text.length > 200) return undefined;
  const bytes = decodeBase58Digits(text);
  if (bytes === undefined || bytes.length < 5) return undefined;
  const body = bytes.subarray(0, -4);
  const expected = checksum(body);
  const found = bytes.subarray(-4);
  return found.every((byte, i) => byte === expected.charCodeAt(i)) ? body : undefined;
}
