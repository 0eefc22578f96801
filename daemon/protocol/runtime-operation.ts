// Signed operations of the runtime: JSON shapes, the hash that is signed, and the addresses they create.
// The rules are those of the Jstz protocol (crates/jstz_proto): the hash is taken of a text made of the
// fields without separators, so every formatting detail here is consensus.
import { encodeAddress } from "./address.ts";
import { blake2b160, blake2b256 } from "./blake2b.ts";
import { toHex } from "./hex.ts";
import { type SecretKey, signMessage } from "./keys.ts";

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

/** The text whose blake2b-256 is the operation hash. */
export function operationPreimage(operation: Operation): string {
  const head = `${operation.publicKey}${operation.nonce}`;
  const content = operation.content;
  switch (content._type) {
    case "DeployFunction":
      return `${head}${content.functionCode}${content.accountCredit}`;
    case "RunFunction":
      return `${head}${canonicalUri(content.uri)}${content.method}${debugHeaders(content.headers)}${debugBody(content.body)}`;
    case "RevealLargePayload":
      return `${head}${toHex(Uint8Array.from(content.rootHash))}${content.revealType}${toHex(Uint8Array.from(content.originalOpHash))}`;
    case "OracleResponse": {
      const { status, statusText, headers, body } = content.response;
      const list = headers
        .map(([name, value]) => `(${JSON.stringify(name)}, ${JSON.stringify(value)})`)
        .join(", ");
      return `${head}${content.requestId}Response { status: ${status}, status_text: ${JSON.stringify(statusText)}, headers: [${list}], body: Vector([${body.join(", ")}]) }`;
    }
  }
}

/** Operation hash: 32 bytes. */
export function operationHash(operation: Operation): Uint8Array {
  return blake2b256(operationPreimage(operation));
}

/** Operation hash as 64 lower-case hex digits, the form of all URLs. */
export function operationHashHex(operation: Operation): string {
  return toHex(operationHash(operation));
}

/** Signs an operation with the key of its sender. */
export function signOperation(operation: Operation, key: SecretKey): SignedOperation {
  return { inner: operation, signature: signMessage(key, operationHash(operation)), verifier: null };
}

/** The URI as it is hashed: an empty path becomes `/` and the fragment is dropped; nothing else changes. */
export function canonicalUri(uri: string): string {
  const withoutFragment = uri.replace(/#.*$/s, "");
  const match = /^([^:/?#]+:\/\/[^/?#]*)(\?.*)?$/s.exec(withoutFragment);
  return match ? `${match[1]}/${match[2] ?? ""}` : withoutFragment;
}

/** Headers as Rust's `Debug` prints a header map. */
function debugHeaders(headers: HeaderRecord): string {
  const merged = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(headers)) {
    merged.set(name.toLowerCase(), typeof value === "string" ? [value] : value);
  }
  const entries = [...merged].flatMap(([name, values]) =>
    values.map((value) => `"${name}": "${debugHeaderValue(value)}"`),
  );
  return `{${entries.join(", ")}}`;
}

/** Visible ASCII and tab as they are, `"` escaped, other bytes as `\x` and hex without padding. */
function debugHeaderValue(value: string): string {
  let text = "";
  for (const byte of new TextEncoder().encode(value)) {
    if (byte === 0x22) text += '\\"';
    else if (byte === 0x09 || (byte >= 0x20 && byte < 0x7f)) text += String.fromCharCode(byte);
    else text += `\\x${byte.toString(16)}`;
  }
  return text;
}

function debugBody(body: string | null): string {
  return body === null ? "HttpBody(None)" : `HttpBody(Some([${Buffer.from(body, "base64").join(", ")}]))`;
}

/**
 * Address of the smart function that a creator deploys.
 * @param creatorNonce nonce of the creator *after* the deploy operation took its own: operation nonce + 1
 */
export function smartFunctionAddress(creator: string, functionCode: string, creatorNonce: bigint): string {
  return encodeAddress("KT1", blake2b160(`${creator}${functionCode}${creatorNonce}`));
}

/** Key of the receipt of a deposit: hash of the layer 1 level and the index of its message in the inbox. */
export function depositReceiptHash(level: number, messageIndex: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(level, 0);
  bytes.writeUInt32BE(messageIndex, 4);
  return blake2b256(bytes);
}
