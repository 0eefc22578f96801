import { expect, it } from "vitest";
import type { DepositRecord } from "../../daemon/client/runtime-client.ts";
import type { FinishedOperation } from "../../daemon/protocol/call-trace.ts";
import { mergeOperations, recentOperations } from "./operation-history.ts";

const at = (second: number): string => new Date(second * 1000).toISOString();
const run = (hash: string, second: number, over: Partial<FinishedOperation> = {}): FinishedOperation => ({
  hash,
  at: at(second),
  operation: "RunFunction",
  sender: "tz1sender",
  success: true,
  statusCode: 200,
  failure: null,
  deployed: null,
  target: "KT1called",
  ...over,
});

const credit: DepositRecord = {
  hash: "d1",
  at: at(2),
  level: 3,
  index: 0,
  receiver: "tz1receiver",
  amount: "5000000",
  source: "tz1source",
  receipt: { hash: [], result: { _type: "Success", inner: { _type: "Deposit" } } } as never,
};

it("lists operations and deposits with the fields of their events, newest first", async () => {
  const deposit = run("d1", 2, { operation: "Deposit", target: null, statusCode: null });
  const deploy = run("a1", 1, {
    operation: "DeployFunction",
    deployed: "KT1new",
    target: "KT1new",
    statusCode: null,
  });
  const operations = await recentOperations(
    { operations: async () => [run("b2", 3), deposit, deploy], deposits: async () => [credit] },
    100,
  );
  expect(operations.map(({ kind, data }) => [kind, data.hash])).toEqual([
    ["operation", "b2"],
    ["deposit", "d1"],
    ["operation", "a1"],
  ]);
  expect(operations.map(({ data }) => data)).toMatchObject([
    { operation: "RunFunction", target: "KT1called", success: true, statusCode: 200 },
    { receiver: "tz1receiver", amount: "5000000", success: true },
    { operation: "DeployFunction", target: "KT1new" },
  ]);
});

it("respects its limit, and returns no operations for a node without lists", async () => {
  const runtime = { operations: async () => [run("b", 2), run("a", 1)], deposits: async () => [credit] };
  expect(await recentOperations(runtime, 2)).toHaveLength(2);
  const real = { operations: async () => undefined, deposits: async () => undefined };
  expect(await recentOperations(real, 2)).toEqual([]);
});

it("shows an operation once if it was both seen and fetched, and twice if it was sent again and failed", async () => {
  const runtime = { operations: async () => [run("b", 2), run("a", 1)], deposits: async () => [] };
  const kept = await recentOperations(runtime, 100);
  const seen = [
    { kind: "operation", at: new Date(4000), data: run("b", 4, { success: false }) },
    { kind: "operation", at: new Date(3000), data: run("b", 3) },
  ] as const;
  expect(mergeOperations(seen, kept, 100).map(({ data, at: when }) => [data.hash, when.getTime()])).toEqual([
    ["b", 4000],
    ["b", 3000],
    ["a", 1000],
  ]);
});
