// Binary layout of operation contents, by kind.
// Source: Octez, `operation_repr.ml`; tags 107-115, 158, 200, 201, 206, 230.
import {
  type Address,
  addressBytes,
  encodeAddress,
  keyHashBytes,
  publicKeyBytes,
  readAddress,
  readKeyHash,
  readPublicKey,
} from "./address.ts";
import { decodeBase58, encodeBase58 } from "./base58.ts";
import { type ByteReader, MalformedBytes } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { type Content, PVM_KINDS } from "./content.ts";
import { readEntrypoint, readUtf8, writeEntrypoint } from "./entrypoint-codec.ts";
import { fromHex, toHex } from "./hex.ts";
import { readMicheline, writeMicheline } from "./micheline-binary.ts";
import type { Micheline } from "./micheline.ts";
import { type NumberField, boundsText, isInBounds } from "./number-fields.ts";
import { type OtherContent, isOtherKind, otherKindOfTag, readOther, writeOther } from "./other-content.ts";
import { UNSUPPORTED_KINDS, UnsupportedKind } from "./unsupported-kind.ts";

const TAGS = {
  reveal: 107,
  transaction: 108,
  origination: 109,
  delegation: 110,
  register_global_constant: 111,
  set_deposits_limit: 112,
  increase_paid_storage: 113,
  update_consensus_key: 114,
  update_companion_key: 115,
  transfer_ticket: 158,
  smart_rollup_originate: 200,
  smart_rollup_add_messages: 201,
  smart_rollup_execute_outbox_message: 206,
  dal_publish_commitment: 230,
} as const satisfies Record<Content["kind"], number>;

const KINDS: ReadonlyMap<number, Content["kind"]> = new Map(
  Object.entries(TAGS).map(([kind, tag]) => [tag, kind as Content["kind"]]),
);

const BLS_SIGNATURE = 96;
const DAL_PROOF = 96;

/** A content of any kind that this codec supports. @throws MalformedBytes, UnsupportedKind */
export function readAnyContent(reader: ByteReader): Content | OtherContent {
  const other = otherKindOfTag(reader.peek() ?? -1);
  if (other === undefined) return readContent(reader);
  reader.byte();
  return readOther(other, reader);
}

/** A content that this chain can apply. @throws MalformedBytes, UnsupportedKind */
export function readContent(reader: ByteReader): Content {
  const tag = reader.byte();
  const kind = KINDS.get(tag);
  if (kind === undefined) throw withoutKind(tag);
  const manager = {
    source: readKeyHash(reader),
    fee: readNumber(reader, "fee"),
    counter: readNumber(reader, "counter"),
    gas_limit: readNumber(reader, "gas_limit"),
    storage_limit: readNumber(reader, "storage_limit"),
  };
  switch (kind) {
    case "reveal": {
      const public_key = readPublicKey(reader);
      if (!reader.flag()) return { kind, ...manager, public_key };
      return { kind, ...manager, public_key, proof: readProof(reader) };
    }
    case "transaction": {
      const amount = readNumber(reader, "amount");
      const destination = readAddress(reader);
      if (!reader.flag()) return { kind, ...manager, amount, destination };
      const entrypoint = readEntrypoint(reader);
      const value = readSized(reader);
      if (entrypoint === "default" && isUnit(value))
        throw new MalformedBytes("default parameters written out");
      return { kind, ...manager, amount, destination, parameters: { entrypoint, value } };
    }
    case "origination": {
      const balance = readNumber(reader, "balance");
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
        ticket_amount: readNumber(reader, "ticket_amount"),
        destination: readAddress(reader),
        entrypoint: readUtf8(reader, reader.uint32()),
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
        rollup: encodeAddress("sr1", reader.take(20)),
        cemented_commitment: encodeBase58("src1", reader.take(32)),
        output_proof: toHex(reader.take(reader.uint32())),
      };
    case "register_global_constant":
      return { kind, ...manager, value: readSized(reader) };
    case "set_deposits_limit":
      return { kind, ...manager, ...(reader.flag() && { limit: readNumber(reader, "limit") }) };
    case "increase_paid_storage":
      return { kind, ...manager, amount: reader.integer().toString(), destination: readContract(reader) };
    case "update_consensus_key":
    case "update_companion_key": {
      const pk = readPublicKey(reader);
      return { kind, ...manager, pk, ...(reader.flag() && { proof: readProof(reader) }) };
    }
    case "smart_rollup_originate": {
      const pvm_kind = PVM_KINDS[reader.byte()];
      if (pvm_kind === undefined) throw new MalformedBytes("unknown kind of rollup");
      const kernel = toHex(reader.take(reader.uint32()));
      const parameters_ty = readSized(reader);
      if (!reader.flag()) return { kind, ...manager, pvm_kind, kernel, parameters_ty };
      const inner = reader.slice(reader.uint32());
      const whitelist: Address[] = [];
      while (inner.left > 0) whitelist.push(readKeyHash(inner));
      return { kind, ...manager, pvm_kind, kernel, parameters_ty, whitelist };
    }
    case "dal_publish_commitment":
      return {
        kind,
        ...manager,
        slot_header: {
          slot_index: reader.byte(),
          commitment: encodeBase58("sh", reader.take(48)),
          commitment_proof: toHex(reader.take(DAL_PROOF)),
        },
      };
  }
}

function withoutKind(tag: number): Error {
  const known = [...UNSUPPORTED_KINDS].find(([, code]) => code === tag);
  return known ? new UnsupportedKind(known[0]) : new MalformedBytes("unknown kind of operation");
}

const readProof = (reader: ByteReader): string =>
  encodeBase58("BLsig", exactly(reader.take(reader.uint32()), BLS_SIGNATURE));

function readContract(reader: ByteReader): Address {
  const address = readAddress(reader);
  if (!address.startsWith("KT1")) throw new MalformedBytes("not a contract");
  return address;
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

function readNumber(reader: ByteReader, field: NumberField): string {
  const value = reader.natural();
  if (!isInBounds(field, value)) throw new MalformedBytes(`${field} that is not ${boundsText(field)}`);
  return value.toString();
}

/** A field of JSON contents, or an error when it cannot be encoded. @throws MalformedBytes */
export function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new MalformedBytes(`not ${what}`);
  return value;
}

/** @throws MalformedBytes when a field cannot be encoded */
export function writeContent(writer: ByteWriter, content: Content | OtherContent): void {
  if (isOther(content)) return writeOther(writer, content);
  writer.byte(TAGS[content.kind]);
  writeKeyHash(writer, content.source);
  for (const number of [content.fee, content.counter, content.gas_limit, content.storage_limit])
    writer.natural(BigInt(number));
  switch (content.kind) {
    case "reveal":
      writer
        .bytes(must(publicKeyBytes(content.public_key), "a public key"))
        .flag(content.proof !== undefined);
      if (content.proof !== undefined) writeProof(writer, content.proof);
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
        .sized(Buffer.from(content.entrypoint));
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
    case "register_global_constant":
      writer.measured(() => writeMicheline(writer, content.value));
      return;
    case "set_deposits_limit":
      writer.flag(content.limit !== undefined);
      if (content.limit !== undefined) writer.natural(BigInt(content.limit));
      return;
    case "increase_paid_storage":
      writer.integer(BigInt(content.amount)).bytes(must(addressBytes(content.destination), "an address"));
      return;
    case "update_consensus_key":
    case "update_companion_key":
      writer.bytes(must(publicKeyBytes(content.pk), "a public key")).flag(content.proof !== undefined);
      if (content.proof !== undefined) writeProof(writer, content.proof);
      return;
    case "smart_rollup_originate":
      writer.byte(PVM_KINDS.indexOf(content.pvm_kind)).sized(must(fromHex(content.kernel), "hex"));
      writer.measured(() => writeMicheline(writer, content.parameters_ty));
      writer.flag(content.whitelist !== undefined);
      if (content.whitelist !== undefined)
        writer.measured(() => content.whitelist!.forEach((address) => writeKeyHash(writer, address)));
      return;
    case "dal_publish_commitment":
      writer.byte(content.slot_header.slot_index);
      writer.bytes(must(decodeBase58("sh", content.slot_header.commitment), "a slot commitment"));
      writer.bytes(must(fromHex(content.slot_header.commitment_proof), "hex"));
      return;
  }
}

const isOther = (content: Content | OtherContent): content is OtherContent => isOtherKind(content.kind);

function writeKeyHash(writer: ByteWriter, address: string): void {
  writer.bytes(must(keyHashBytes(address), "an implicit address"));
}

function writeProof(writer: ByteWriter, proof: string): void {
  writer.sized(must(decodeBase58("BLsig", proof), "a BLS signature"));
}

function writeDelegate(writer: ByteWriter, delegate: string | undefined): void {
  writer.flag(delegate !== undefined);
  if (delegate !== undefined) writeKeyHash(writer, delegate);
}
