import { expect, it } from "vitest";
import { sandboxEventOf } from "./sandbox-events.ts";

const operation = {
  hash: "ab",
  operation: "RunFunction",
  sender: "tz1",
  target: null,
  success: true,
  statusCode: 200,
  failure: null,
};
const deposit = { level: 3, index: 0, hash: "cd", receiver: "tz1", amount: "5", success: true };
const part = { name: "layer1_node", state: "healthy", since: "2026-01-01T00:00:00Z", detail: "" };
const read = (event: string | undefined, data: unknown) =>
  sandboxEventOf({ id: undefined, event, data: JSON.stringify(data) } as never);

it("parses each event of sandboxd, without unknown fields", () => {
  expect(read("operation", { ...operation, more: 1 })).toEqual({ event: "operation", data: operation });
  expect(read("deposit", { ...deposit, source: "tz1" })).toEqual({ event: "deposit", data: deposit });
  expect(read("head", { level: 1, hash: "", timestamp: "" })).toMatchObject({ data: { level: 1 } });
  expect(read("status", { status: "stopping" })).toMatchObject({ data: { status: "stopping" } });
  expect(read("balances", { accounts: [] })).toMatchObject({ data: { accounts: [] } });
  expect(read("part", part)).toEqual({ event: "part", data: part });
  expect(read("store", { address: "KT1", key: null })).toMatchObject({ data: { key: null } });
});

it.each([
  ["operation", { ...operation, hash: 1 }],
  ["operation", { ...operation, success: "yes" }],
  ["operation", { ...operation, target: {} }],
  ["operation", { ...operation, statusCode: "200" }],
  ["deposit", { ...deposit, amount: 5 }],
  ["deposit", { ...deposit, amount: "5 tez" }],
  ["deposit", { ...deposit, receiver: null }],
  ["head", { level: "1" }],
  ["balances", { accounts: {} }],
  ["status", null],
  ["status", { status: "happy" }],
  ["part", []],
  ["part", { ...part, state: "unknown" }],
  ["part", { ...part, name: "other" }],
  ["balances", { accounts: [{ label: "a", address: "tz1", layer1_balance: 1, runtime_balance: "1" }] }],
  ["store", { address: "KT1" }],
  ["snapshot", { id: "a", level: 1, action: "lost" }],
  ["other", operation],
  [undefined, operation],
])("rejects anything else: %s %j", (event, data) => {
  expect(read(event, data)).toBeUndefined();
});

it("rejects text that is not JSON", () => {
  expect(sandboxEventOf({ event: "head", data: "{" })).toBeUndefined();
});
