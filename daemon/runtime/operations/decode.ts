// Signed operations from JSON, decoded by hand: this is the hot path of the HTTP interface. Unknown properties are
// ignored, as in the Jstz protocol; anything else of the wrong shape is rejected with its place.
import { toUnsigned } from "../../protocol/exact-json.ts";
import type {
  HeaderRecord,
  Operation,
  OperationContent,
  PasskeyVerifier,
} from "../../protocol/runtime-operation.ts";
import { MAX_RUNTIME_MUTEZ } from "../../protocol/tez-text.ts";
import {
  type Fields,
  fieldsOf,
  integerField,
  listField,
  MalformedJson,
  textField,
} from "../../tezos/json-fields.ts";
import { parsePublicKey, parseSignature, type PublicKey, type Signature } from "../../tezos/keys.ts";

export interface DecodedOperation {
  readonly operation: Operation;
  readonly key: PublicKey;
}

export interface DecodedSignedOperation extends DecodedOperation {
  readonly signature: Signature;
  readonly verifier: PasskeyVerifier | null;
}

/**
 * @param strict whether to refuse what only this sandbox accepts
 * @throws MalformedJson
 */
export function decodeSignedOperation(value: unknown, strict = false): DecodedSignedOperation {
  const fields = fieldsOf(value, "operation");
  const decoded = decodeOperation(fields["inner"], strict, "inner");
  const text = textField(fields["signature"], "signature");
  const signature = parseSignature(text);
  if (signature === undefined)
    throw new MalformedJson("signature", "a signature (edsig, spsig1 or p2sig)", text);
  return { ...decoded, signature, verifier: verifierOf(fields["verifier"]) };
}

/** As {@link decodeSignedOperation}. @throws MalformedJson */
export function decodeOperation(value: unknown, strict = false, at = "operation"): DecodedOperation {
  const fields = fieldsOf(value, at);
  const publicKey = textField(fields["publicKey"], `${at}.publicKey`);
  const key = parsePublicKey(publicKey);
  if (key === undefined)
    throw new MalformedJson(`${at}.publicKey`, "a public key (edpk, sppk or p2pk)", publicKey);
  const nonce = mutezOf(fields["nonce"], `${at}.nonce`);
  const content = contentOf(fieldsOf(fields["content"], `${at}.content`), strict, `${at}.content`);
  return { operation: { publicKey, nonce, content }, key };
}

function contentOf(fields: Fields, strict: boolean, at: string): OperationContent {
  switch (fields["_type"]) {
    case "DeployFunction":
      return {
        _type: "DeployFunction",
        functionCode: textField(fields["functionCode"], `${at}.functionCode`),
        accountCredit: mutezOf(fields["accountCredit"], `${at}.accountCredit`),
      };
    case "RunFunction":
      return {
        _type: "RunFunction",
        uri: matching(fields["uri"], URI, `${at}.uri`, "a URI such as jstz://KT1.../path"),
        method: matching(fields["method"], TOKEN, `${at}.method`, "an HTTP method"),
        headers: headersOf(fields["headers"], strict, `${at}.headers`),
        body: bodyOf(fields["body"], `${at}.body`),
        gasLimit: mutezOf(fields["gasLimit"], `${at}.gasLimit`),
      };
    case "RevealLargePayload":
      if (fields["revealType"] !== "DeployFunction")
        throw new MalformedJson(`${at}.revealType`, '"DeployFunction"', fields["revealType"]);
      return {
        _type: "RevealLargePayload",
        rootHash: byteList(fields["rootHash"], `${at}.rootHash`, 33),
        revealType: "DeployFunction",
        originalOpHash: byteList(fields["originalOpHash"], `${at}.originalOpHash`, 32),
      };
    case "OracleResponse": {
      const response = fieldsOf(fields["response"], `${at}.response`);
      return {
        _type: "OracleResponse",
        requestId: mutezOf(fields["requestId"], `${at}.requestId`),
        response: {
          status: statusOf(response["status"], `${at}.response.status`),
          statusText: textField(response["status_text"], `${at}.response.status_text`),
          headers: headerPairs(response["headers"], `${at}.response.headers`),
          body: byteList(response["body"], `${at}.response.body`),
        },
      };
    }
    default:
      throw new MalformedJson(
        `${at}._type`,
        "DeployFunction, RunFunction, RevealLargePayload or OracleResponse",
        fields["_type"],
      );
  }
}

const URI = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/?#"<>\\^`{|}]+(?:[/?#][^\s"<>\\^`]*)?$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[^\x00-\x08\x0a-\x1f\x7f]*$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Limit of values in a header map of the real runtime's HTTP library. */
export const MAX_HEADERS = 32_768;

function checkCount(count: number, at: string): void {
  if (count > MAX_HEADERS) throw new MalformedJson(at, `at most ${MAX_HEADERS} headers`, count);
}

function headersOf(value: unknown, strict: boolean, at: string): HeaderRecord {
  const fields = fieldsOf(value, at);
  const headers = Object.create(null) as Record<string, string | string[]>;
  const entries = Object.entries(fields);
  checkCount(
    entries.reduce((count, [, item]) => count + (Array.isArray(item) ? item.length : 1), 0),
    at,
  );
  for (const [name, item] of entries) {
    if (!TOKEN.test(name)) throw new MalformedJson(at, `header names, not ${JSON.stringify(name)}`, fields);
    headers[name.toLowerCase()] = Array.isArray(item)
      ? item.map((one, index) => headerValue(one, strict, `${at}.${name}[${index}]`))
      : headerValue(item, strict, `${at}.${name}`);
  }
  return headers;
}

function headerValue(value: unknown, strict: boolean, at: string): string {
  // The SDK's types allow numbers, which the real runtime refuses; here the hash covers their decimal text.
  const isNumber = typeof value === "number" || typeof value === "bigint";
  const text = isNumber && !strict ? String(value) : value;
  return matching(text, HEADER_VALUE, at, "a header value");
}

function bodyOf(value: unknown, at: string): string | null {
  if (value === null) return null;
  const text = matching(value, BASE64, at, "base64 text or null");
  if (text.replace(/=+$/, "").length % 4 === 1) throw new MalformedJson(at, "base64 text or null", value);
  return text;
}

function headerPairs(value: unknown, at: string): [string, string][] {
  const pairs = listField(value, at, "a list of [name, value]");
  checkCount(pairs.length, at);
  return pairs.map((pair, index) => {
    const [name, text] = Array.isArray(pair) ? (pair as unknown[]) : [];
    return [
      matching(name, TOKEN, `${at}[${index}][0]`, "a header name"),
      headerValue(text, false, `${at}[${index}][1]`),
    ];
  });
}

function verifierOf(value: unknown): PasskeyVerifier | null {
  if (value === undefined || value === null) return null;
  const passkey = fieldsOf(fieldsOf(value, "verifier")["Passkey"], "verifier.Passkey");
  return {
    Passkey: {
      authenticatorData: textField(passkey["authenticatorData"], "verifier.Passkey.authenticatorData"),
      clientDataJSON: textField(passkey["clientDataJSON"], "verifier.Passkey.clientDataJSON"),
    },
  };
}

function matching(value: unknown, pattern: RegExp, at: string, expected: string): string {
  return textField(value, at, expected, (text) => pattern.test(text));
}

function mutezOf(value: unknown, at: string): bigint {
  const number = toUnsigned(value);
  if (number === undefined || number > MAX_RUNTIME_MUTEZ)
    throw new MalformedJson(at, "an unsigned 64-bit integer", value);
  return number;
}

const statusOf = (value: unknown, at: string): number =>
  integerField(value, at, { least: 0, most: 0xffff }, "a status code");

function byteList(value: unknown, at: string, length?: number): number[] {
  const good =
    Array.isArray(value) &&
    (length === undefined || value.length === length) &&
    value.every((byte) => Number.isInteger(byte) && (byte as number) >= 0 && (byte as number) <= 255);
  if (!good) throw new MalformedJson(at, `a list of ${length ?? "any number of"} byte values`, value);
  return value as number[];
}
