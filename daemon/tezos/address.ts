// Addresses, keys and signatures as text, and as the bytes in optimized Micheline and in operations.
import { ECDH } from "node:crypto";
import { type Base58Kind, decodeBase58, encodeBase58 } from "./base58.ts";
import { blake2b160 } from "./blake2b.ts";
import type { Branded } from "./brand.ts";
import { ByteReader, MalformedBytes } from "./byte-reader.ts";
import { toByteText } from "./byte-text.ts";
import { RecentMap } from "./recent-map.ts";

/** Address kinds of layer 1. */
export const ADDRESS_KINDS = [
  "tz1",
  "tz2",
  "tz3",
  "tz4",
  "KT1",
  "sr1",
] as const satisfies readonly Base58Kind[];
export type AddressKind = (typeof ADDRESS_KINDS)[number];

/** A validated address without entrypoint; not an alias, a key or `KT1...%name`. */
export type Address = Branded<string, "Address">;

/** A validated address with `%entrypoint`, or without one for the default entrypoint. */
export type FullAddress = Branded<string, "FullAddress">;

/** Kind of a valid address, or undefined when the text is not an address. */
export function addressKind(text: string): AddressKind | undefined {
  const kind = ADDRESS_KINDS.find((candidate) => text.startsWith(candidate));
  return kind !== undefined && decodeBase58(kind, text) !== undefined ? kind : undefined;
}

/** True when the text has the shape of an address, valid or not, so that it is not treated as an alias. */
export function looksLikeAddress(text: string): boolean {
  return /^(tz[1-4]|KT1|sr1)[1-9A-HJ-NP-Za-km-z]{20,}$/.test(text);
}

/** Address text of a 20-byte hash. */
export function encodeAddress(kind: AddressKind, hash: Uint8Array): Address {
  return encodeBase58(kind, hash) as Address;
}

const HASH_KINDS = ["tz1", "tz2", "tz3", "tz4"] as const;
const KEY_KINDS = ["edpk", "sppk", "p2pk", "BLpk"] as const;
const KEY_LENGTHS = [32, 33, 33, 48] as const;
const SIGNATURE_KINDS = ["edsig", "spsig1", "p2sig", "BLsig", "sig"] as const;

/** Number of decoded texts to cache: decoding costs two SHA-256 and a long division. */
const CACHE_SIZE = 2_048;
const decoded = new RecentMap<Uint8Array>(CACHE_SIZE);
const keyHashes = new RecentMap<Uint8Array>(CACHE_SIZE);
const addresses = new RecentMap<Uint8Array>(CACHE_SIZE);
const encoded = new RecentMap<string>(CACHE_SIZE);
/** Addresses of keys. */
const hashes = new RecentMap<Address>(CACHE_SIZE);
/** Apart, because each operation has another one: they would displace what recurs. */
const signatures = new RecentMap<Uint8Array>(CACHE_SIZE);

/** @pre the text has a prefix of its kind: the cache is keyed by the text alone */
const decode = (kind: Base58Kind, text: string): Uint8Array | undefined =>
  decoded.getOrMake(text, () => decodeBase58(kind, text));

/** Base58Check text of a payload that recurs, such as an address or the branch of operations; cached. */
export const encodeCached = (kind: Base58Kind, payload: Uint8Array): string =>
  encoded.getOrMake(kind + toByteText(payload), () => encodeBase58(kind, payload));

const kindOf = <K extends Base58Kind>(kinds: readonly K[], text: string): number =>
  kinds.findIndex((kind) => text.startsWith(kind));

/** A tag, the bytes, and as many zeros as there is padding. */
function withTag(tag: number, bytes: Uint8Array, padding = 0): Uint8Array {
  const tagged = new Uint8Array(1 + bytes.length + padding);
  tagged[0] = tag;
  tagged.set(bytes, 1);
  return tagged;
}

/** 21 bytes (curve tag and hash) of a tz address, not to be changed; or undefined. */
export const keyHashBytes = (text: string): Uint8Array | undefined =>
  keyHashes.getOrMake(text, readKeyHashText);

function readKeyHashText(text: string): Uint8Array | undefined {
  const tag = kindOf(HASH_KINDS, text);
  const hash = tag < 0 ? undefined : decodeBase58(HASH_KINDS[tag]!, text);
  return hash && withTag(tag, hash);
}

/** @throws MalformedBytes */
export function readKeyHash(reader: ByteReader): Address {
  const kind = HASH_KINDS[reader.byte()];
  if (!kind) throw new MalformedBytes("unknown curve");
  return encodeCached(kind, reader.take(20)) as Address;
}

/** Whether a text is the address of an implicit account. */
export const isKeyHash = (text: string): text is Address => keyHashBytes(text) !== undefined;

/** 22 bytes of a tz, KT1 or sr1 address without entrypoint, not to be changed; or undefined. */
export const addressBytes = (text: string): Uint8Array | undefined => addresses.getOrMake(text, bytesOfKind);

function bytesOfKind(text: string): Uint8Array | undefined {
  if (text.startsWith("tz")) {
    const hash = keyHashBytes(text);
    return hash && withTag(0, hash);
  }
  const kind = text.startsWith("KT1") ? "KT1" : text.startsWith("sr1") ? "sr1" : undefined;
  const hash = kind && decodeBase58(kind, text);
  return hash && withTag(kind === "KT1" ? 1 : 3, hash, 1);
}

/** Whether a text is an address without an entrypoint. */
export const isAddress = (text: string): text is Address => addressBytes(text) !== undefined;

/** An address from a text already validated. @throws TypeError when it is not an address */
export function addressOf(text: string): Address {
  if (!isAddress(text)) throw new TypeError(`${text} is not an address`);
  return text;
}

/** Address of an all-zero key hash: stands for nobody. */
export const NULL_ADDRESS = addressOf("tz1Ke2h7sDdakHJQh8WX4Z372du1KChsksyU");

/** As {@link addressBytes}, for a text already validated. @throws TypeError when it is not an address */
export function bytesOfAddress(text: string): Uint8Array {
  const bytes = addressBytes(text);
  if (!bytes) throw new TypeError(`${text} is not an address`);
  return bytes;
}

/** @throws MalformedBytes */
export function readAddress(reader: ByteReader): Address {
  const tag = reader.byte();
  if (tag === 0) return readKeyHash(reader);
  if (tag !== 1 && tag !== 3) throw new MalformedBytes(`unknown address tag ${tag}`);
  const text = encodeCached(tag === 1 ? "KT1" : "sr1", reader.take(20)) as Address;
  if (reader.byte() !== 0) throw new MalformedBytes("address padding is not zero");
  return text;
}

/** Bytes of an address with optional `%entrypoint` (22, then the name in ASCII), or undefined when it is malformed. */
export function fullAddressBytes(text: string): Uint8Array | undefined {
  const { address, entrypoint } = splitAddress(text);
  const bytes = addressBytes(address);
  if (!bytes || entrypoint.length > 31) return undefined;
  return entrypoint === "default" ? bytes : Buffer.concat([bytes, Buffer.from(entrypoint, "latin1")]);
}

/** The inverse of {@link fullAddressBytes}; undefined when the bytes are not an address. */
export function fullAddressOf(bytes: Uint8Array): FullAddress | undefined {
  try {
    const reader = new ByteReader(bytes);
    const address = readAddress(reader);
    const entrypoint = Buffer.from(reader.take(reader.left)).toString("latin1");
    if (entrypoint === "") return joinAddress(address, "default");
    // As in the protocol, any bytes are accepted as a name here; only texts must follow the rules for names.
    return entrypoint.length <= 31 && entrypoint !== "default" ? joinAddress(address, entrypoint) : undefined;
  } catch (error) {
    if (error instanceof MalformedBytes) return undefined;
    throw error;
  }
}

export function isEntrypointName(text: string): boolean {
  return text.length <= 31 && /^[A-Za-z0-9_][A-Za-z0-9_.%@]*$/.test(text);
}

/** Splits `KT1...%name`; the entrypoint is "default" when none is given. */
export function splitAddress(text: FullAddress): { readonly address: Address; readonly entrypoint: string };
export function splitAddress(text: string): { readonly address: string; readonly entrypoint: string };
export function splitAddress(text: string): { readonly address: string; readonly entrypoint: string } {
  const at = text.indexOf("%");
  if (at < 0) return { address: text, entrypoint: "default" };
  return { address: text.slice(0, at), entrypoint: text.slice(at + 1) || "default" };
}

export const joinAddress = (address: Address, entrypoint: string): FullAddress =>
  (entrypoint === "default" ? (address as string) : `${address}%${entrypoint}`) as FullAddress;

export const isImplicit = (address: string): boolean => address.startsWith("tz");
export const isOriginated = (address: string): boolean => address.startsWith("KT1");
export const isRollup = (address: string): boolean => address.startsWith("sr1");

/** Curve tag and key bytes, or undefined. */
export function publicKeyBytes(text: string): Uint8Array | undefined {
  const tag = kindOf(KEY_KINDS, text);
  const key = tag < 0 ? undefined : decode(KEY_KINDS[tag]!, text);
  return key && withTag(tag, key);
}

/** Address of a public key. @throws RangeError when the text is not a public key: callers have checked it */
export const hashOfKey = (publicKey: string): Address => hashes.getOrMake(publicKey, makeHashOfKey);

function makeHashOfKey(publicKey: string): Address {
  const tag = kindOf(KEY_KINDS, publicKey);
  const key = tag < 0 ? undefined : decode(KEY_KINDS[tag]!, publicKey);
  if (!key) throw new RangeError("not a public key");
  return encodeAddress(HASH_KINDS[tag]!, blake2b160(key));
}

/** @throws MalformedBytes */
export function readPublicKey(reader: ByteReader): string {
  const tag = reader.byte();
  const kind = KEY_KINDS[tag];
  if (!kind) throw new MalformedBytes("unknown curve");
  return encodeCached(kind, reader.take(KEY_LENGTHS[tag]!));
}

/** Raw bytes of a signature (64, or 96 for BLS), or undefined. */
export const signatureBytes = (text: string): Uint8Array | undefined =>
  signatures.getOrMake(text, readSignatureText);

function readSignatureText(text: string): Uint8Array | undefined {
  const tag = kindOf(SIGNATURE_KINDS, text);
  return tag < 0 ? undefined : decodeBase58(SIGNATURE_KINDS[tag]!, text);
}

/** Text of raw signature bytes with the generic prefix; undefined for a wrong length. */
export function signatureOf(bytes: Uint8Array): string | undefined {
  if (bytes.length === 64) return encodeBase58("sig", bytes);
  return bytes.length === 96 ? encodeBase58("BLsig", bytes) : undefined;
}

export function chainIdBytes(text: string): Uint8Array | undefined {
  return text.startsWith("Net") ? decode("chainId", text) : undefined;
}

export function chainIdOf(bytes: Uint8Array): string | undefined {
  return bytes.length === 4 ? encodeCached("chainId", bytes) : undefined;
}

// Texts of one kind have one length, and the Base58 alphabet ascends, so texts compare as their bytes do.

const rankOfAddress = (text: string): number => (isImplicit(text) ? 0 : isOriginated(text) ? 1 : 2);

export function compareAddresses(a: string, b: string): number {
  if (a === b) return 0;
  return rankOfAddress(a) - rankOfAddress(b) || (a < b ? -1 : 1);
}

export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  const order = kindOf(KEY_KINDS, a) - kindOf(KEY_KINDS, b);
  if (order !== 0) return order;
  return a.startsWith("p2pk") ? compareP256(a, b) : a < b ? -1 : 1;
}

/**
 * Keys of P-256 compare by both coordinates, not by their compressed form, which begins with the parity of the second.
 * Source: Octez, `p256.ml`.
 */
function compareP256(a: string, b: string): number {
  const [x, y] = [decode("p2pk", a)!, decode("p2pk", b)!];
  return (
    Buffer.compare(x.subarray(1), y.subarray(1)) || Buffer.compare(uncompressedP256(x), uncompressedP256(y))
  );
}

/** Both coordinates; the compressed form when the bytes are not a point of the curve. */
function uncompressedP256(key: Uint8Array): Uint8Array {
  try {
    return ECDH.convertKey(key, "prime256v1", undefined, undefined, "uncompressed") as Buffer;
  } catch {
    return key;
  }
}

export function compareSignatures(a: string, b: string): number {
  if (a === b) return 0;
  return Buffer.compare(signatureBytes(a) ?? Buffer.alloc(0), signatureBytes(b) ?? Buffer.alloc(0));
}
