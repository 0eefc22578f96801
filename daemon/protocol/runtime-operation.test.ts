import { describe, expect, it } from "vitest";
import { addressOf } from "../tezos/address.ts";
import { toHex } from "../tezos/hex.ts";
import { parseSignature, verifyMessage } from "../tezos/keys.ts";
import misc from "./fixtures/inbox-receipts-misc.json" with { type: "json" };
import addresses from "./fixtures/kt1-address.json" with { type: "json" };
import hashes from "./fixtures/operation-hash.json" with { type: "json" };
import {
  canonicalUri,
  depositReceiptHash,
  type Operation,
  type OperationContent,
  operationHash,
  operationHashHex,
  operationPreimage,
  signOperation,
  smartFunctionAddress,
} from "./runtime-operation.ts";
import { parseSecretKey } from "./secret-key.ts";

/** The operation of a test vector, with its integers as bigint. */
function operationOf(vector: { publicKey: string; nonce: number; content: object }): Operation {
  const content = { ...vector.content } as Record<string, unknown>;
  for (const name of ["accountCredit", "gasLimit", "requestId"]) {
    if (typeof content[name] === "number") content[name] = BigInt(content[name]);
  }
  if (content["_type"] === "OracleResponse") {
    const { status_text, ...response } = content["response"] as Record<string, unknown>;
    content["response"] = { ...response, statusText: status_text };
  }
  return {
    publicKey: vector.publicKey,
    nonce: BigInt(vector.nonce),
    content: content as unknown as OperationContent,
  };
}

describe("operation hashes", () => {
  it.each(hashes.vectors)("$name matches the published one", ({ operation, preimage, hash }) => {
    const own = operationOf(operation);
    if (preimage !== undefined) expect(operationPreimage(own)).toBe(preimage); // omitted for the longest
    expect(operationHashHex(own)).toBe(hash);
  });

  it("cover everything of a run except the gas limit", () => {
    const run = {
      _type: "RunFunction",
      uri: "jstz://KT1/",
      method: "GET",
      headers: {},
      body: null,
      gasLimit: 1n,
    } as const;
    const hash = (content: OperationContent): string =>
      operationHashHex({ publicKey: "edpk", nonce: 0n, content });
    expect(hash({ ...run, gasLimit: 2n })).toBe(hash(run));
    const others = [
      { ...run, uri: "jstz://KT1/x" },
      { ...run, method: "POST" },
      { ...run, headers: { a: "b" } },
      { ...run, body: "" },
    ];
    expect(new Set(others.map(hash)).add(hash(run)).size).toBe(5);
  });

  it("use lower-case header names, with a later value in the place of the first", () => {
    const text = operationPreimage({
      publicKey: "",
      nonce: 0n,
      content: {
        _type: "RunFunction",
        uri: "jstz://KT1/",
        method: "GET",
        headers: { A: "1", b: "x\u00e9\ty", a: "2" },
        body: "aGk=",
        gasLimit: 0n,
      },
    });
    expect(text).toBe('0jstz://KT1/GET{"a": "2", "b": "x\\xc3\\xa9\ty"}HttpBody(Some([104, 105]))');
  });
});

describe("URIs in hashes", () => {
  it.each([
    ["jstz://KT1abc", "jstz://KT1abc/"],
    ["jstz://KT1abc?a=1", "jstz://KT1abc/?a=1"],
    ["jstz://KT1abc/p%20q?A=b#c", "jstz://KT1abc/p%20q?A=b"],
    ["jstz://KT1abc#c", "jstz://KT1abc/"],
  ])("%s is %s", (uri, canonical) => {
    expect(canonicalUri(uri)).toBe(canonical);
  });
});

describe("addresses of new smart functions", () => {
  it.each(addresses.vectors)(
    "$name matches the published one",
    ({ creator, functionCode, creatorNonceAtDerivation, address }) => {
      expect(smartFunctionAddress(addressOf(creator), functionCode, BigInt(creatorNonceAtDerivation))).toBe(
        address,
      );
    },
  );
});

describe("deposit receipts", () => {
  it.each(misc.depositReceiptKey.vectors)(
    "of level $l1Level, message $messageIndex",
    ({ l1Level, messageIndex, key }) => {
      expect(toHex(depositReceiptHash(l1Level, messageIndex))).toBe(key);
    },
  );
});

describe("signing", () => {
  it("signs the hash with the sender's key", () => {
    const key = parseSecretKey("edsk38mmuJeEfSYGiwLE1qHr16BPYKMT5Gg1mULT7dNUtg3ti4De3a");
    const operation = operationOf(hashes.vectors[0]!.operation);
    const signed = signOperation(operation, key);
    const signature = parseSignature(signed.signature)!;
    expect(verifyMessage(key.publicKey, operationHash(operation), signature)).toBe(true);
    expect(verifyMessage(key.publicKey, new Uint8Array(32), signature)).toBe(false);
  });
});
