// Contents of operations that no account pays for: votes, attestations, activations. The sandbox applies none of them,
// but it encodes and decodes them, as every node does for wallets that ask for the bytes to sign.
// Source of the layout: Octez, `operation_repr.ml`.
import { keyHashBytes, readKeyHash } from "./address.ts";
import { type Base58Kind, decodeBase58, encodeBase58 } from "./base58.ts";
import { type ByteReader, MalformedBytes } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { fromHex, isHex, toHex } from "./hex.ts";

/** A content in its JSON form. */
export interface OtherContent {
  readonly kind: OtherKind;
  readonly [field: string]: unknown;
}

interface Field {
  /** The expected value, for errors. */
  readonly expected: string;
  accepts(value: unknown): boolean;
  /** @pre the value is accepted */
  write(writer: ByteWriter, value: never): void;
  read(reader: ByteReader): unknown;
}

const int32: Field = {
  expected: "a 32 bit number",
  accepts: (value) => Number.isInteger(value) && value === (Number(value) | 0),
  write: (writer, value: number) => writer.uint32(value >>> 0),
  read: (reader) => reader.uint32() | 0,
};

const uint16: Field = {
  expected: "a 16 bit number",
  accepts: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 65_536,
  write: (writer, value: number) => writer.byte(value >> 8).byte(value & 0xff),
  read: (reader) => (reader.byte() << 8) | reader.byte(),
};

const natural: Field = {
  expected: "a natural number as text",
  accepts: (value) => typeof value === "string" && /^(0|[1-9][0-9]{0,77})$/.test(value),
  write: (writer, value: string) => writer.natural(BigInt(value)),
  read: (reader) => reader.natural().toString(),
};

const keyHash: Field = {
  expected: "an implicit address",
  accepts: (value) => typeof value === "string" && keyHashBytes(value) !== undefined,
  write: (writer, value: string) => writer.bytes(keyHashBytes(value)!),
  read: readKeyHash,
};

const base58 = (kind: Base58Kind, length: number, expected: string): Field => ({
  expected,
  accepts: (value) => typeof value === "string" && decodeBase58(kind, value) !== undefined,
  write: (writer, value: string) => writer.bytes(decodeBase58(kind, value)!),
  read: (reader) => encodeBase58(kind, reader.take(length)),
});

const hex = (length: number): Field => ({
  expected: `${length} bytes as hex`,
  accepts: (value) => typeof value === "string" && isHex(value) && value.length === 2 * length,
  write: (writer, value: string) => writer.bytes(fromHex(value)!),
  read: (reader) => toHex(reader.take(length)),
});

const sizedHex: Field = {
  expected: "hex",
  accepts: (value) => typeof value === "string" && isHex(value),
  write: (writer, value: string) => writer.sized(fromHex(value)!),
  read: (reader) => toHex(reader.take(reader.uint32())),
};

const BALLOTS = ["yay", "nay", "pass"];
const ballot: Field = {
  expected: BALLOTS.join(", "),
  accepts: (value) => BALLOTS.includes(value as string),
  write: (writer, value: string) => writer.byte(BALLOTS.indexOf(value)),
  read: (reader) => {
    const found = BALLOTS[reader.byte()];
    if (found === undefined) throw new MalformedBytes("unknown ballot");
    return found;
  },
};

const proposal = base58("protocolHash", 32, "a protocol hash");
const proposals: Field = {
  expected: "a list of protocol hashes",
  accepts: (value) => Array.isArray(value) && value.length <= 20 && value.every(proposal.accepts),
  write: (writer, value: readonly string[]) =>
    writer.measured(() => value.forEach((hash) => proposal.write(writer, hash as never))),
  read: (reader) => {
    const inner = reader.slice(reader.uint32());
    const hashes: unknown[] = [];
    while (inner.left > 0) hashes.push(proposal.read(inner));
    return hashes;
  },
};

const payload = base58("blockPayloadHash", 32, "a block payload hash");
const attestation = { slot: uint16, level: int32, round: int32, block_payload_hash: payload };

interface Layout {
  readonly tag: number;
  readonly fields: Readonly<Record<string, Field>>;
}

const LAYOUTS = {
  seed_nonce_revelation: { tag: 1, fields: { level: int32, nonce: hex(32) } },
  activate_account: {
    tag: 4,
    fields: { pkh: base58("tz1", 20, "a tz1 address"), secret: hex(20) },
  },
  proposals: { tag: 5, fields: { source: keyHash, period: int32, proposals } },
  ballot: { tag: 6, fields: { source: keyHash, period: int32, proposal, ballot } },
  drain_delegate: { tag: 9, fields: { consensus_key: keyHash, delegate: keyHash, destination: keyHash } },
  failing_noop: { tag: 17, fields: { arbitrary: sizedHex } },
  preattestation: { tag: 20, fields: attestation },
  attestation: { tag: 21, fields: attestation },
  attestation_with_dal: { tag: 23, fields: { ...attestation, dal_attestation: natural } },
} as const satisfies Record<string, Layout>;

export type OtherKind = keyof typeof LAYOUTS;

const KINDS: ReadonlyMap<number, OtherKind> = new Map(
  Object.entries(LAYOUTS).map(([kind, { tag }]) => [tag, kind as OtherKind]),
);

const layoutOf = (kind: OtherKind): Layout => LAYOUTS[kind];

export const isOtherKind = (kind: unknown): kind is OtherKind =>
  typeof kind === "string" && Object.hasOwn(LAYOUTS, kind);

export const otherKindOfTag = (tag: number): OtherKind | undefined => KINDS.get(tag);

/**
 * Extracts the fields of a content from JSON.
 * @param fail throws the error for a field with an unexpected value
 */
export function parseOther(
  kind: OtherKind,
  json: Readonly<Record<string, unknown>>,
  fail: (field: string, expected: string) => never,
): OtherContent {
  const content: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(layoutOf(kind).fields)) {
    const value = json[name];
    if (!field.accepts(value)) fail(name, field.expected);
    content[name] = value;
  }
  return { kind, ...content };
}

export function writeOther(writer: ByteWriter, content: OtherContent): void {
  const { tag, fields } = layoutOf(content.kind);
  writer.byte(tag);
  for (const [name, field] of Object.entries(fields)) field.write(writer, content[name] as never);
}

/** The fields after the tag. @throws MalformedBytes */
export function readOther(kind: OtherKind, reader: ByteReader): OtherContent {
  const read = Object.entries(layoutOf(kind).fields).map(([name, field]) => [name, field.read(reader)]);
  return { kind, ...(Object.fromEntries(read) as object) };
}
