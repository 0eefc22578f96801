import { expect, it } from "vitest";
import type { CallTrace } from "../protocol/call-trace.ts";
import { callTreeText, logText } from "./call-tree.ts";

const call = (over: Partial<CallTrace>): CallTrace => ({
  caller: "tz1a",
  address: "KT1a",
  method: "GET",
  path: "/",
  amount: "0",
  status: 200,
  gas: 10,
  durationMs: 0.5,
  committed: true,
  kv: [],
  transfers: [],
  logs: [],
  calls: [],
  ...over,
});

it("shows nested calls with their accesses, transfers, logs and roll-backs", () => {
  const inner = call({
    address: "KT1b",
    status: 500,
    committed: false,
    error: { class: "RuntimeError", message: "boom\n  at x" },
    amount: "5",
  });
  const trace = call({
    kv: [{ op: "set", key: "n", value: "1" }],
    transfers: [{ from: "KT1a", to: "tz1a", amount: "7" }],
    logs: [{ level: "INFO", text: "hello\n" }],
    calls: [inner],
  });
  const names: Record<string, string> = { KT1a: "outer", KT1b: "inner" };
  const operation = {
    hash: "ab",
    operation: "RunFunction",
    sender: "tz1a",
    success: true,
    failure: null,
    request: null,
    trace: { call: trace, truncated: false },
  };
  expect(callTreeText(operation, (address) => names[address] ?? address)).toBe(
    [
      "operation ab",
      "  RunFunction by tz1a: succeeded",
      "",
      "GET outer/ → 200 (10 gas, 0.50 ms)",
      "  kv set n = 1",
      "  transfer 7 mutez outer → tz1a",
      "  info hello",
      "  GET inner/ → 500 (10 gas, 0.50 ms, 5 mutez attached, rolled back)",
      "    error RuntimeError: boom",
      "        at x",
      "",
    ].join("\n"),
  );
});

it("shows the entries of a call in their order, if the trace contains it", () => {
  const log = (seq: number, text: string) => ({ seq, level: "INFO", text });
  const inner = call({ seq: 2, address: "KT1b", logs: [log(3, "inside")] });
  const trace = call({
    seq: 0,
    logs: [log(1, "before"), log(4, "after")],
    calls: [inner],
    kv: [{ seq: 5, op: "set", key: "last" }],
  });
  const operation = {
    hash: "ab",
    operation: "RunFunction",
    sender: "tz1a",
    success: true,
    failure: null,
    request: null,
  };
  const text = callTreeText({ ...operation, trace: { call: trace, truncated: false } }, (address) => address);
  expect(text).toMatch(/before[^]*KT1b[^]*inside[^]*after[^]*kv set last/);
});

it("lets no text of a function look like a line of the tree or of another function's log", () => {
  const forged = "x\ntransfer 5 mutez alice → KT1a\r[ERROR] bank: empty\r\nGET bank/ → 200 (1 gas)";
  const trace = call({
    kv: [{ op: "has", key: forged }],
    logs: [{ level: "INFO", text: forged }],
    error: { class: "Error", message: forged },
  });
  const operation = {
    ...{ hash: "ab", operation: "RunFunction", sender: "tz1a", success: false, failure: forged },
    ...{ request: null, trace: { call: trace, truncated: false } },
  };
  const entries = callTreeText(operation, (address) => address).split(/\r\n|[\r\n]/);
  expect(entries.filter((line) => /^ {0,3}\S/.test(line)).map((line) => line.slice(0, 9))).toEqual([
    ...["operation", "  RunFunc", "GET KT1a/"],
    ...["  error E", "  kv has ", "  info x"],
  ]);
  expect(
    logText(trace, (address) => address)
      .split(/\r\n|[\r\n]/)
      .filter((line) => /^\S/.test(line)),
  ).toEqual(["[INFO] KT1a: x"]);
});
