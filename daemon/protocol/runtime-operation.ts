// Signed operations of the runtime: JSON shapes, the signed hash, and the addresses that they create.
// The rules are those of the Jstz protocol (crates/jstz_proto): the hash is computed over the fields as text without
// separators, so every formatting detail here is consensus.
import { type Address, encodeAddress } from "../tezos/address.ts";
import { blake2b160, blake2b256 } from "../tezos/blake2b.ts";
import { toHex } from "../tezos/hex.ts";
import { type SecretKey, signMessage } from "../tezos/keys.ts";

/** Header values by lower-case name, in order of first insertion. */
export type HeaderRecord = Readonly<Record<string, string | readonly string[]>>;

export interface DeployFunction {
  readonly _type: "DeployFunction";
  readonly functionCode: string;
  /** Mutez moved from the deployer to the new function. */
  readonly accountCredit: bigint;
}

export interface RunFunction {
  readonly _type: "RunFunction";
  /** `jstz://<address>/path?query` */
  readonly uri: string;
  readonly method: string;
  readonly headers: HeaderRecord;
  /** Base64 text, or null for no body. */
  readonly body: string | null;
  /** Not part of the hash, so the signature does not protect it. */
  readonly gasLimit: bigint;
}

export interface RevealLargePayload {
  readonly _type: "RevealLargePayload";
  readonly rootHash: readonly number[];
  readonly revealType: "DeployFunction";
  readonly originalOpHash: readonly number[];
}

export interface OracleResponse {
  readonly _type: "OracleResponse";
  readonly requestId: bigint;
  readonly response: {
    readonly status: number;
    readonly statusText: string;
    readonly headers: readonly (readonly [string, string])[];
    readonly body: readonly number[];
  };
}

export type OperationContent = DeployFunction | RunFunction | RevealLargePayload | OracleResponse;

export interface Operation {
  readonly publicKey: string;
  readonly nonce: bigint;
  readonly content: OperationContent;
}

export interface PasskeyVerifier {
  readonly Passkey: { readonly authenticatorData: string; readonly clientDataJSON: string };
}

export interface SignedOperation {
  readonly inner: Operation;
  readonly signature: string;
  readonly verifier: PasskeyVerifier | null;
}

/** An incremental hash over text (as UTF-8) and bytes. */
export interface Digest {
  update(part: string | Uint8Array): unknown;
  /** BLAKE2b-256 of everything so far: 32 bytes. */
  digest(): Uint8Array;
}

/** Bytes formatted per chunk, and bytes escaped per chunk: these take four times the memory. */
const CHUNK = 64 * 1024;
const ESCAPED_AT_ONCE = 16 * 1024;

/** The text whose BLAKE2b-256 is the operation hash, in chunks: a large body's is several times its size. */
function* preimage(operation: Operation): Generator<string | Uint8Array> {
  const head = `${operation.publicKey}${operation.nonce}`;
  const content = operation.content;
  switch (content._type) {
    case "DeployFunction":
      yield `${head}${content.functionCode}${content.accountCredit}`;
      return;
    case "RunFunction":
      yield `${head}${canonicalUri(content.uri)}${content.method}`;
      yield* debugHeaders(content.headers);
      if (content.body === null) return yield "HttpBody(None)";
      yield "HttpBody(Some([";
      yield* debugBytes(Buffer.from(content.body, "base64"));
      return yield "]))";
    case "RevealLargePayload":
      yield `${head}${toHex(Uint8Array.from(content.rootHash))}${content.revealType}${toHex(Uint8Array.from(content.originalOpHash))}`;
      return;
    case "OracleResponse": {
      const { status, statusText, headers, body } = content.response;
      const list = headers
        .map(([name, value]) => `(${JSON.stringify(name)}, ${JSON.stringify(value)})`)
        .join(", ");
      yield `${head}${content.requestId}Response { status: ${status}, status_text: ${JSON.stringify(statusText)}, headers: [${list}], body: Vector([`;
      yield* debugBytes(Uint8Array.from(body));
      return yield "]) }";
    }
  }
}

/** The text whose blake2b-256 is the operation hash. */
export function operationPreimage(operation: Operation): string {
  let text = "";
  for (const part of preimage(operation))
    text += typeof part === "string" ? part : Buffer.from(part).toString("latin1");
  return text;
}

/**
 * Operation hash: 32 bytes.
 * @param digest a fresh BLAKE2b-256; without it the text is hashed in one piece, which suits small operations
 */
export function operationHash(operation: Operation, digest?: Digest): Uint8Array {
  if (digest === undefined) return blake2b256(operationPreimage(operation));
  for (const part of preimage(operation)) digest.update(part);
  return digest.digest();
}

/** Operation hash as 64 lower-case hex digits, the form of all URLs. */
export function operationHashHex(operation: Operation): string {
  return toHex(operationHash(operation));
}

/** Signs an operation with the key of its sender. */
export function signOperation(operation: Operation, key: SecretKey): SignedOperation {
  return { inner: operation, signature: signMessage(key, operationHash(operation)), verifier: null };
}

/** The URI in the hash: an empty path becomes `/` and the fragment is dropped; nothing else changes. */
export function canonicalUri(uri: string): string {
  const withoutFragment = uri.replace(/#.*$/s, "");
  const match = /^([^:/?#]+:\/\/[^/?#]*)(\?.*)?$/s.exec(withoutFragment);
  return match ? `${match[1]}/${match[2] ?? ""}` : withoutFragment;
}

/** Headers in the format of Rust's `Debug` for header maps. */
function* debugHeaders(headers: HeaderRecord): Generator<string> {
  const merged = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(headers)) {
    merged.set(name.toLowerCase(), typeof value === "string" ? [value] : value);
  }
  let text = "{";
  let separator = "";
  for (const [name, values] of merged) {
    for (const value of values) {
      text += `${separator}"${name}": "`;
      separator = ", ";
      for (const part of debugHeaderValue(value)) {
        text += part;
        if (text.length < CHUNK) continue;
        yield text;
        text = "";
      }
      text += '"';
    }
  }
  yield `${text}}`;
}

/** Visible ASCII and tab unchanged, `"` escaped, other bytes as `\\x` and hex without padding. */
const DEBUG_BYTE = Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0x22) return '\\"';
  return byte === 0x09 || (byte >= 0x20 && byte < 0x7f)
    ? String.fromCharCode(byte)
    : `\\x${byte.toString(16)}`;
});

function* debugHeaderValue(value: string): Generator<string> {
  if (/^[\t\x20\x21\x23-\x7e]*$/.test(value)) return yield value;
  const bytes = Buffer.from(value);
  for (let at = 0; at < bytes.length; at += ESCAPED_AT_ONCE)
    yield Array.from(bytes.subarray(at, at + ESCAPED_AT_ONCE), (byte) => DEBUG_BYTE[byte]).join("");
}

/** Decimal numbers separated by `, `, as ASCII in chunks. */
function* debugBytes(bytes: Uint8Array): Generator<Uint8Array> {
  const ascii = new Uint8Array(5 * Math.min(bytes.length, CHUNK));
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (i > 0) {
      ascii[length++] = 0x2c;
      ascii[length++] = 0x20;
    }
    if (byte >= 100) ascii[length++] = 0x30 + Math.floor(byte / 100);
    if (byte >= 10) ascii[length++] = 0x30 + (Math.floor(byte / 10) % 10);
    ascii[length++] = 0x30 + (byte % 10);
    if (length > ascii.length - 5 || i === bytes.length - 1) {
      yield ascii.subarray(0, length); // the consumer is done with it before the next chunk
      length = 0;
    }
  }
}

/**
 * Address of a smart function that a creator deploys.
 * @param creatorNonce nonce of the creator *after* the deploy operation: operation nonce + 1
 */
export function smartFunctionAddress(creator: Address, functionCode: string, creatorNonce: bigint): Address {
  return encodeAddress("KT1", blake2b160(`${creator}${functionCode}${creatorNonce}`));
}

/** Key of a deposit receipt: hash of the layer-1 level and the index of the message in the inbox. */
export function depositReceiptHash(level: number, messageIndex: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(level, 0);
  bytes.writeUInt32BE(messageIndex, 4);
  return blake2b256(bytes);
}
