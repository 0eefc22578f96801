import { describe, expect, it } from "vitest";
import { parseExact } from "../../protocol/exact-json.ts";
import hashes from "../../protocol/fixtures/operation-hash.json" with { type: "json" };
import { operationHashHex } from "../../protocol/runtime-operation.ts";
import { MalformedJson } from "../../tezos/json-fields.ts";
import { decodeOperation, decodeSignedOperation } from "./decode.ts";

const PUBLIC_KEY = "edpkurYYUEb4yixA3oxKdvstG8H86SpKKUGmadHS6Ju2mM1Mz1w5or";
const SIGNATURE =
  "edsigtwqy6s8i5ezpHgYnGoDHRkTKf3aQ211WxXrLJJJ7jYYxu6Xpen9BiG6ymRG64zaQFm2tFrff8EuzwD7nfCByMZhr6Nn6CG";
const run = {
  _type: "RunFunction",
  uri: "jstz://KT1abc/",
  method: "GET",
  headers: {},
  body: null,
  gasLimit: 1,
};
const operation = (content: object, other: object = {}): unknown => ({
  publicKey: PUBLIC_KEY,
  nonce: 0,
  content,
  ...other,
});

describe("operations from JSON", () => {
  it.each(hashes.vectors)("$name has the published hash", ({ operation: vector, hash }) => {
    expect(operationHashHex(decodeOperation(vector).operation)).toBe(hash);
  });

  it("keep 64-bit amounts exactly", () => {
    const text = JSON.stringify(operation({ _type: "DeployFunction", functionCode: "", accountCredit: 0 }));
    const decoded = decodeOperation(
      parseExact(text.replace('"accountCredit":0', '"accountCredit":18446744073709551615')),
    );
    expect(decoded.operation.content).toMatchObject({ accountCredit: 2n ** 64n - 1n });
  });

  it("ignore unknown properties and take numbers as header values by their text", () => {
    const decoded = decodeOperation(
      operation({ ...run, extra: 1, headers: { "X-A": 5, b: ["1", "2"] } }, { source: "tz1" }),
    );
    expect(decoded.operation.content).toMatchObject({ headers: { "x-a": "5", b: ["1", "2"] } });
  });

  it.each([{ a: 5 }, { a: ["1", 5] }])("refuse the header values %o in strict mode", (headers) => {
    expect(() => decodeOperation(operation({ ...run, headers }), true)).toThrow(
      /content\.headers\.a.*header value/,
    );
  });

  it.each([
    ["no key", { nonce: 0, content: run }],
    ["a key of another kind", operation(run, { publicKey: "BLpk1" })],
    ["a broken key", operation(run, { publicKey: `${PUBLIC_KEY.slice(0, -1)}x` })],
    ["a negative nonce", operation(run, { nonce: -1 })],
    ["a fractional nonce", operation(run, { nonce: 0.5 })],
    ["a nonce as text", operation(run, { nonce: "0" })],
    ["a nonce beyond 64 bits", operation(run, { nonce: 2n ** 64n })],
    ["no content", { publicKey: PUBLIC_KEY, nonce: 0 }],
    ["an unknown kind", operation({ _type: "Other" })],
    ["no body", operation({ ...run, body: undefined })],
    ["a body as bytes", operation({ ...run, body: [1, 2] })],
    ["a body that is not base64", operation({ ...run, body: "a$" })],
    ["a body of impossible length", operation({ ...run, body: "abcde" })],
    ["a header object as value", operation({ ...run, headers: { a: {} } })],
    ["a header value with a line break", operation({ ...run, headers: { a: "b\nc" } })],
    ["a header name with a space", operation({ ...run, headers: { "a b": "c" } })],
    ["headers as a list", operation({ ...run, headers: [] })],
    ["a method with a space", operation({ ...run, method: "G ET" })],
    ["no URI", operation({ ...run, uri: "KT1abc" })],
    ["a URI with a space", operation({ ...run, uri: "jstz://KT1abc/a b" })],
    ["code that is not text", operation({ _type: "DeployFunction", functionCode: 1, accountCredit: 0 })],
    ["a list", []],
    ["null", null],
  ])("refuse %s", (_name, value) => {
    expect(() => decodeOperation(value)).toThrow(MalformedJson);
  });
});

describe("signed operations from JSON", () => {
  it.each([
    ["a generic signature", "sigNxyz"],
    ["no signature", undefined],
    ["a broken signature", `${SIGNATURE.slice(0, -1)}x`],
  ])("refuse %s", (_name, signature) => {
    expect(() => decodeSignedOperation({ inner: operation(run), signature })).toThrow(MalformedJson);
  });

  it.each([null, undefined])("take %s for no verifier", (verifier) => {
    expect(
      decodeSignedOperation({ inner: operation(run), signature: SIGNATURE, verifier }).verifier,
    ).toBeNull();
  });

  it.each([{}, { Passkey: {} }, { Passkey: null }, "Passkey"])("refuse the verifier %j", (verifier) => {
    expect(() => decodeSignedOperation({ inner: operation(run), signature: SIGNATURE, verifier })).toThrow(
      MalformedJson,
    );
  });
});
