// Bytes of operations: decoding what clients inject, and forging. Every bound is checked, and decoding accepts
// the one canonical form only, so that equal operations have equal hashes.
// Source of the layout: Octez, `operation_repr.ml`; tags 107-110, 158, 201, 206.
import { decodeBase58, encodeBase58 } from "./base58.ts";
import { fromHex, toHex } from "./hex.ts";
import {
  addressBytes,
  encodeOften,
  keyHashBytes,
  publicKeyBytes,
  readAddress,
  readKeyHash,
  readPublicKey,
} from "./address.ts";
import { ByteReader, MalformedBytes } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { readEntrypoint, writeEntrypoint } from "./entrypoint-codec.ts";
import type { Micheline } from "./micheline.ts";
import { readMicheline, writeMicheline } from "./micheline-binary.ts";
import type { Content, Operation } from "./content.ts";

const TAGS = {
  reveal: 107,
  transaction: 108,
  origination: 109,
  delegation: 110,
  transfer_ticket: 158,
  smart_rollup_add_messages: 201,
  smart_rollup_execute_outbox_message: 206,
} as const satisfies Record<Content["kind"], number>;

const KINDS: ReadonlyMap<number, Content["kind"]> = new Map(
  Object.entries(TAGS).map(([kind, tag]) => [tag, kind as Content["kind"]]),
);

const PLAIN_SIGNATURE = 64;
const BLS_SIGNATURE = 96;
const BLS_TAG = 3;

export interface Decoded extends Operation {
  /** What is signed, without the watermark. */
  readonly unsigned: Uint8Array;
}

/** Decodes a signed operation. @throws MalformedBytes */
export function decodeOperation(bytes: Uint8Array): Decoded {
  const reader = new ByteReader(bytes);
  const branch = encodeOften("blockHash", reader.take(32));
  const contents: Content[] = [];
  while (reader.left > PLAIN_SIGNATURE && reader.peek() !== 0xff) contents.push(readContent(reader));
  const unsigned = bytes.subarray(0, reader.position);
  if (contents.length === 0) throw new MalformedBytes("no contents");
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

/** Decodes an operation without signature. @throws MalformedBytes */
export function decodeUnsigned(bytes: Uint8Array): Operation {
  const reader = new ByteReader(bytes);
  const branch = encodeOften("blockHash", reader.take(32));
  const contents: Content[] = [];
  while (reader.left > 0) contents.push(readContent(reader));
  return { branch, contents, signature: undefined };
}

function readContent(reader: ByteReader): Content {
  const kind = KINDS.get(reader.byte());
  if (kind === undefined) throw new MalformedBytes("unknown kind of operation");
  const manager = {
    source: readKeyHash(reader),
    fee: reader.natural().toString(),
    counter: reader.natural().toString(),
    gas_limit: reader.natural().toString(),
    storage_limit: reader.natural().toString(),
  };
  switch (kind) {
    case "reveal": {
      const public_key = readPublicKey(reader);
      if (!reader.flag()) return { kind, ...manager, public_key };
      const proof = reader.take(reader.uint32());
      return { kind, ...manager, public_key, proof: encodeBase58("BLsig", exactly(proof, BLS_SIGNATURE)) };
    }
    case "transaction": {
      const amount = reader.natural().toString();
      const destination = readAddress(reader);
      if (!reader.flag()) return { kind, ...manager, amount, destination };
      const entrypoint = readEntrypoint(reader);
      const value = readSized(reader);
      if (entrypoint === "default" && isUnit(value))
        throw new MalformedBytes("default parameters written out");
      return { kind, ...manager, amount, destination, parameters: { entrypoint, value } };
    }
    case "origination": {
      const balance = reader.natural().toString();
      const delegate = reader.flag() ? { delegate: readKeyHash(reader) } : {};
      return {
        kind,
        ...manager,
        balance,
        ...delegate,
        script: { code: readSized(reader), storage: readSized(reader) },
      };
    }
    case "delegation":
      return { kind, ...manager, ...(reader.flag() ? { delegate: readKeyHash(reader) } : {}) };
    case "transfer_ticket":
      return {
        kind,
        ...manager,
        ticket_contents: readSized(reader),
        ticket_ty: readSized(reader),
        ticket_ticketer: readAddress(reader),
        ticket_amount: reader.natural().toString(),
        destination: readAddress(reader),
        entrypoint: readText(reader, reader.uint32()),
      };
    case "smart_rollup_add_messages": {
      const inner = reader.slice(reader.uint32());
      const message: string[] = [];
      while (inner.left > 0) message.push(toHex(inner.take(inner.uint32())));
      return { kind, ...manager, message };
    }
    case "smart_rollup_execute_outbox_message":
      return {
        kind,
        ...manager,
        rollup: encodeBase58("sr1", reader.take(20)),
        cemented_commitment: encodeBase58("src1", reader.take(32)),
        output_proof: toHex(reader.take(reader.uint32())),
      };
  }
}

function exactly(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length !== length) throw new MalformedBytes(`${bytes.length} bytes in place of ${length}`);
  return bytes;
}

const isUnit = (value: Micheline): boolean =>
  "prim" in value && value.prim === "Unit" && !value.args && !value.annots;

function readSized(reader: ByteReader): Micheline {
  const inner = reader.slice(reader.uint32());
  const value = readMicheline(inner);
  inner.expectEnd();
  return value;
}

const readText = (reader: ByteReader, length: number): string =>
  Buffer.from(reader.take(length)).toString("latin1");

/** A field of JSON contents that cannot be written as bytes. */
function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new MalformedBytes(`not ${what}`);
  return value;
}

/** Bytes of an operation without signature. @throws MalformedBytes when a field cannot be encoded */
export function forgeOperation(branch: string, contents: readonly Content[]): Uint8Array {
  const writer = new ByteWriter().bytes(must(decodeBase58("blockHash", branch), "a block hash"));
  for (const content of contents) writeContent(writer, content);
  return writer.finish();
}

/** Watermark of operations of accounts. Source: Octez, `signature.ml`. */
const GENERIC_OPERATION = 3;

/** What is signed: the watermark and the bytes of the operation. */
export function watermarked(unsigned: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(unsigned.length + 1);
  bytes[0] = GENERIC_OPERATION;
  bytes.set(unsigned, 1);
  return bytes;
}

/** Bytes of an operation without signature, as its signature is paid for. */
export function unsignedLength(contents: readonly Content[]): number {
  const writer = new ByteWriter();
  for (const content of contents) writeContent(writer, content);
  return BRANCH_BYTES + writer.finish().length;
}

const BRANCH_BYTES = 32;

/** Bytes of a signed operation: what its hash is made of. */
export function signedBytes(unsigned: Uint8Array, signature: Uint8Array): Uint8Array {
  const writer = new ByteWriter().bytes(unsigned);
  if (signature.length === BLS_SIGNATURE) writer.byte(0xff).byte(BLS_TAG);
  return writer.bytes(signature).finish();
}

function writeContent(writer: ByteWriter, content: Content): void {
  writer.byte(TAGS[content.kind]);
  writer.bytes(must(keyHashBytes(content.source), "an implicit address"));
  for (const number of [content.fee, content.counter, content.gas_limit, content.storage_limit])
    writer.natural(BigInt(number));
  switch (content.kind) {
    case "reveal":
      writer
        .bytes(must(publicKeyBytes(content.public_key), "a public key"))
        .flag(content.proof !== undefined);
      if (content.proof !== undefined)
        writer.sized(must(decodeBase58("BLsig", content.proof), "a BLS signature"));
      return;
    case "transaction": {
      writer.natural(BigInt(content.amount)).bytes(must(addressBytes(content.destination), "an address"));
      const given = content.parameters;
      const parameters = given && given.entrypoint === "default" && isUnit(given.value) ? undefined : given;
      writer.flag(parameters !== undefined);
      if (!parameters) return;
      writeEntrypoint(writer, parameters.entrypoint);
      writer.measured(() => writeMicheline(writer, parameters.value));
      return;
    }
    case "origination":
      writer.natural(BigInt(content.balance));
      writeDelegate(writer, content.delegate);
      writer.measured(() => writeMicheline(writer, content.script.code));
      writer.measured(() => writeMicheline(writer, content.script.storage));
      return;
    case "delegation":
      writeDelegate(writer, content.delegate);
      return;
    case "transfer_ticket":
      writer.measured(() => writeMicheline(writer, content.ticket_contents));
      writer.measured(() => writeMicheline(writer, content.ticket_ty));
      writer
        .bytes(must(addressBytes(content.ticket_ticketer), "an address"))
        .natural(BigInt(content.ticket_amount));
      writer
        .bytes(must(addressBytes(content.destination), "an address"))
        .sized(Buffer.from(content.entrypoint, "latin1"));
      return;
    case "smart_rollup_add_messages":
      writer.measured(() =>
        content.message.forEach((message) => writer.sized(must(fromHex(message), "hex"))),
      );
      return;
    case "smart_rollup_execute_outbox_message":
      writer.bytes(must(decodeBase58("sr1", content.rollup), "a rollup address"));
      writer.bytes(must(decodeBase58("src1", content.cemented_commitment), "a commitment hash"));
      writer.sized(must(fromHex(content.output_proof), "hex"));
      return;
  }
}

function writeDelegate(writer: ByteWriter, delegate: string | undefined): void {
  writer.flag(delegate !== undefined);
  if (delegate !== undefined) writer.bytes(must(keyHashBytes(delegate), "an implicit address"));
}
