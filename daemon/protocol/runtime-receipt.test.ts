import { expect, it } from "vitest";
import { SandboxError } from "./errors.ts";
import { type Receipt, receiptOfKind } from "./runtime-receipt.ts";

const URL = "http://localhost:8933";
const hash = [1, 2];

it("knows the content of a receipt by its kind", () => {
  const receipt: Receipt = {
    hash,
    result: { _type: "Success", inner: { _type: "DeployFunction", address: "KT1" } },
  };
  const { result } = receiptOfKind(receipt, "DeployFunction", URL);
  expect(result._type === "Success" && result.inner.address).toBe("KT1");
});

it("passes a failure on, whatever the kind", () => {
  const receipt: Receipt = { hash, result: { _type: "Failed", inner: "no" } };
  expect(receiptOfKind(receipt, "RunFunction", URL)).toEqual(receipt);
});

it.each<[string, Receipt["result"], string]>([
  [
    "a known kind",
    { _type: "Success", inner: { _type: "DeployFunction", address: "KT1" } },
    "DeployFunction",
  ],
  ["any other", { _type: "Success", inner: { _type: "Other", kind: "OracleResponse" } }, "OracleResponse"],
])("refuses the receipt of another operation, of %s", (_, result, found) => {
  const read = () => receiptOfKind({ hash, result }, "RunFunction", URL);
  expect(read).toThrow(SandboxError);
  expect(read).toThrow(expect.objectContaining({ code: "ANSWER_MALFORMED" }));
  expect(read).toThrow(`is one of ${found}`);
});
