import { expect, it } from "vitest";
import { operationBytes, operationLimit } from "./operation-size.ts";

const run = {
  _type: "RunFunction",
  uri: "jstz://a/",
  method: "GET",
  headers: {},
  body: null,
  gasLimit: 1n,
} as const;
const deploy = (functionCode: string) =>
  ({ _type: "DeployFunction", functionCode, accountCredit: 0n }) as const;

it("counts 149 bytes around the code of a deploy signed with Ed25519, one more for other curves", () => {
  expect(operationBytes("edpk1", deploy(""))).toBe(149);
  expect(operationBytes("p2pk1", deploy("é"))).toBe(149 + 1 + 2);
});

it("counts each part of a run", () => {
  const bare = operationBytes("edpk1", run);
  expect(bare).toBe(76 + 44 + 8 + 4 + (8 + 9) + (8 + 3) + 8 + 1 + 8 + 1);
  expect(operationBytes("edpk1", { ...run, body: "AAAA" })).toBe(bare + 8 + 4);
  expect(operationBytes("edpk1", { ...run, headers: { a: "bc", d: ["e", ""] } })).toBe(
    bare + (8 + 1 + 8 + 8 + 2) + (8 + 1 + 8 + 8 + 1 + 8),
  );
});

it("lets deploys be larger than runs", () => {
  expect([operationLimit(run), operationLimit(deploy(""))]).toEqual([3_915, 10_485_760]);
});
