import { expect, it } from "vitest";
import type { CallTrace } from "../../daemon/protocol/call-trace.ts";
import { failedCall, gasOfCall } from "../../daemon/protocol/operation-outcome.ts";
import { changesOf, sourcePosition, transfersOf } from "./trace.ts";

const call = (over: Partial<CallTrace>): CallTrace => ({
  caller: "tz1a",
  address: "KT1a",
  method: "GET",
  path: "/",
  amount: "0",
  status: 200,
  gas: 10,
  durationMs: 1,
  committed: true,
  kv: [],
  transfers: [],
  logs: [],
  calls: [],
  ...over,
});

it("lists each changed key once, with its first and last value", () => {
  const inner = call({ address: "KT1b", kv: [{ seq: 3, op: "set", key: "k", value: "7", before: null }] });
  const root = call({
    kv: [
      { seq: 1, op: "set", key: "k", value: "1", before: null },
      { seq: 4, op: "set", key: "k", value: "2", before: "1" },
      { seq: 5, op: "delete", key: "gone", before: "3" },
      { seq: 6, op: "set", key: "same", value: "4", before: "4" },
      { seq: 7, op: "get", key: "read", value: "9" },
    ],
    calls: [inner],
  });
  expect(changesOf(root)).toEqual([
    { address: "KT1a", key: "k", before: null, after: "2" },
    { address: "KT1b", key: "k", before: null, after: "7" },
    { address: "KT1a", key: "gone", before: "3", after: null },
  ]);
});

it("omits changes of rolled back calls", () => {
  const undone = call({
    committed: false,
    amount: "5",
    kv: [{ seq: 1, op: "set", key: "k", value: "1", before: null }],
    transfers: [{ from: "KT1a", to: "tz1b", amount: "1" }],
    calls: [call({ transfers: [{ from: "KT1b", to: "tz1b", amount: "1" }] })],
  });
  expect(changesOf(undone)).toEqual([]);
  expect(transfersOf(undone)).toEqual([]);
});

it("lists transfers of all calls in order", () => {
  const inner = call({ transfers: [{ seq: 5, from: "KT1a", to: "KT1b", amount: "3" }] });
  const root = call({
    amount: "9",
    transfers: [
      { seq: 1, from: "tz1a", to: "KT1a", amount: "9" },
      { seq: 7, from: "KT1a", to: "tz1b", amount: "1" },
    ],
    calls: [inner],
  });
  expect(transfersOf(root).map(({ from, to, amount }) => `${from} ${to} ${amount}`)).toEqual([
    "tz1a KT1a 9",
    "KT1a KT1b 3",
    "KT1a tz1b 1",
  ]);
});

it("adds up gas, and finds the innermost failure", () => {
  const error = { class: "RuntimeError", message: "no" };
  const inner = call({ gas: 5, error });
  const root = call({ gas: 7, error: { class: "RuntimeError", message: "outer" }, calls: [call({}), inner] });
  expect(gasOfCall(root)).toBe(22);
  expect(failedCall(root)).toBe(inner);
  expect(failedCall(call({}))).toBeUndefined();
});

it.each([
  ["RangeError: no\n    at priceOf (shop.ts:5:60)\n    at handler (shop.ts:15:27)", "shop.ts:5:60"],
  ["Error: no\n    at native\n    at src/a b.ts:1:2", undefined],
  ["Error: no\n    at src/index.ts:3", "src/index.ts:3"],
  ["Error: at (x.ts:1:1)", undefined],
])("finds the position in %j", (message, place) => expect(sourcePosition(message)).toBe(place));
