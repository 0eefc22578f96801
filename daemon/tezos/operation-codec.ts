// Encodes and decodes operations. Decoding checks every bound and accepts only the canonical form, so that equal
// operations have equal hashes.
// Source of the layout: Octez, `operation_repr.ml`.
import { encodeCached } from "./address.ts";
import { encodeBase58 } from "./base58.ts";
import { decodeBase58 } from "./base58.ts";
import { blake2b256 } from "./blake2b.ts";
import { ByteReader, MalformedBytes } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { must, readAnyContent, readContent, writeContent } from "./content-codec.ts";
import { type Content, isContents, type Operation } from "./content.ts";
import type { OtherContent } from "./other-content.ts";

const PLAIN_SIGNATURE = 64;
const BLS_SIGNATURE = 96;
const BLS_TAG = 3;

export interface Decoded extends Operation {
  /** The signed bytes, without the watermark. */
  readonly unsigned: Uint8Array;
}

/** Decodes a signed operation. @throws MalformedBytes, UnsupportedKind */
export function decodeOperation(bytes: Uint8Array): Decoded {
  const reader = new ByteReader(bytes);
  const branch = encodeCached("blockHash", reader.take(32));
  const contents: Content[] = [];
  while (reader.left > PLAIN_SIGNATURE && reader.peek() !== 0xff) contents.push(readContent(reader));
  const unsigned = bytes.subarray(0, reader.position);
  if (!isContents(contents)) throw new MalformedBytes("no contents");
  let signature: Uint8Array;
  if (reader.left === BLS_SIGNATURE + 2) {
    reader.byte();
    if (reader.byte() !== BLS_TAG) throw new MalformedBytes("unknown signature prefix");
    signature = reader.take(BLS_SIGNATURE);
  } else {
    if (reader.left !== PLAIN_SIGNATURE) throw new MalformedBytes("no signature of 64 bytes at the end");
    signature = reader.take(PLAIN_SIGNATURE);
  }
  return { branch, contents, signature, unsigned };
}

/** Decodes an operation of any kind without its signature. @throws MalformedBytes, UnsupportedKind */
export function decodeUnsigned(bytes: Uint8Array): {
  readonly branch: string;
  readonly contents: readonly (Content | OtherContent)[];
} {
  const reader = new ByteReader(bytes);
  const branch = encodeCached("blockHash", reader.take(32));
  const contents: (Content | OtherContent)[] = [];
  while (reader.left > 0) contents.push(readAnyContent(reader));
  return { branch, contents };
}

/** Bytes of an operation without signature. @throws MalformedBytes when a field cannot be encoded */
export function forgeOperation(branch: string, contents: readonly (Content | OtherContent)[]): Uint8Array {
  const writer = new ByteWriter().bytes(must(decodeBase58("blockHash", branch), "a block hash"));
  for (const content of contents) writeContent(writer, content);
  return writer.finish();
}

/** Watermark of operations of accounts. Source: Octez, `signature.ml`. */
const GENERIC_OPERATION = 3;

/** The bytes to sign: watermark and operation. */
export function withWatermark(unsigned: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(unsigned.length + 1);
  bytes[0] = GENERIC_OPERATION;
  bytes.set(unsigned, 1);
  return bytes;
}

/** Length of an operation without its signature, on which the gas for checking the signature depends. */
export function unsignedLength(contents: readonly Content[]): number {
  const writer = new ByteWriter();
  for (const content of contents) writeContent(writer, content);
  return BRANCH_BYTES + writer.finish().length;
}

const BRANCH_BYTES = 32;

/** Bytes of a signed operation, from which its hash is computed. */
export function signedBytes(unsigned: Uint8Array, signature: Uint8Array): Uint8Array {
  const writer = new ByteWriter().bytes(unsigned);
  if (signature.length === BLS_SIGNATURE) writer.byte(0xff).byte(BLS_TAG);
  return writer.bytes(signature).finish();
}

/** Hash of a signed operation, as text. */
export const operationHash = (signed: Uint8Array): string =>
  encodeBase58("operationHash", blake2b256(signed));
