import { describe, expect, it } from "vitest";
import type { LogRecord } from "../call/live-call.ts";
import { TEST_HISTORY } from "../test-node.ts";
import { BoundedMap } from "./bounded-map.ts";
import { CommittedStore } from "./committed-store.ts";
import { LogStore } from "./log-store.ts";

describe("BoundedMap", () => {
  it("forgets the oldest beyond its number of entries", () => {
    const map = new BoundedMap<number>({ entries: 2, size: 100 });
    ["a", "b", "c"].forEach((key, i) => map.set(key, i, 1));
    expect([map.get("a"), map.newest(5)]).toEqual([undefined, [2, 1]]);
  });

  it("forgets the oldest beyond its size, and keeps a single one that is larger", () => {
    const map = new BoundedMap<string>({ entries: 10, size: 10 });
    map.set("a", "a", 6);
    map.set("b", "b", 6);
    expect(map.newest(5)).toEqual(["b"]);
    map.set("c", "c", 50);
    expect(map.newest(5)).toEqual(["c"]);
    map.set("d", "d", 1);
    expect(map.newest(5)).toEqual(["d"]);
  });

  it("forgets entries set after a mark, also after going back to an earlier one", () => {
    const map = new BoundedMap<number>({ entries: 10, size: 10 });
    map.set("a", 1, 1);
    const first = map.mark;
    map.set("b", 2, 1);
    const second = map.mark;
    map.forgetSince(first);
    map.set("c", 3, 1);
    map.forgetSince(second);
    expect([map.newest(5), map.get("b")]).toEqual([[1], undefined]);
    for (let i = 0; i < 9; i++) map.set(`d${i}`, i, 1); // their sizes are counted off
    expect(map.get("a")).toBe(1);
  });

  it("counts a replaced entry once", () => {
    const map = new BoundedMap<number>({ entries: 10, size: 10 });
    for (let i = 0; i < 5; i++) map.set("a", i, 6);
    map.set("b", 9, 4);
    expect(map.newest(5)).toEqual([9, 4]);
  });

  it("keeps its order when one entry is replaced thousands of times", () => {
    const map = new BoundedMap<number>({ entries: 3, size: 100 });
    map.set("a", 1, 1);
    for (let i = 0; i <= 5_000; i++) map.set("b", i, 1);
    map.set("c", 2, 1);
    expect(map.newest(5)).toEqual([2, 5_000, 1]);
    map.set("d", 3, 1);
    expect([map.get("a"), map.newest(5)]).toEqual([undefined, [3, 2, 5_000]]);
  });
});

describe("LogStore", () => {
  const record = (address: string, text: string, requestId = "") =>
    ({ address, requestId, level: "INFO", text }) as const;

  it("keeps the newest records within its limits", () => {
    const logs = new LogStore({ records: 3, bytes: 1000 });
    for (let i = 0; i < 10; i++) logs.add(record(i % 2 === 0 ? "A" : "B", `${i}`));
    expect(logs.newest("A", 10, 0).map(({ text }) => text)).toEqual(["8"]);
    expect(logs.newest("B", 10, 0).map(({ text }) => text)).toEqual(["9", "7"]);
    expect(logs.newest("B", 1, 1).map(({ text }) => text)).toEqual(["7"]);
  });

  it("forgets records added after a mark, also those of other functions", () => {
    const logs = new LogStore({ records: 4, bytes: 1000 });
    for (let i = 0; i < 6; i++) logs.add(record("A", `${i}`));
    const first = logs.mark;
    logs.add(record("B", "6"));
    const second = logs.mark;
    logs.forgetSince(first);
    logs.add(record("A", "7"));
    logs.forgetSince(second);
    expect(logs.newest("A", 10, 0).map(({ text }) => text)).toEqual(["5", "4", "3"]);
    expect(logs.newest("B", 10, 0)).toEqual([]);
    logs.forgetSince(0);
    expect(logs.newest("A", 10, 0)).toEqual([]);
    logs.add(record("A", "8"));
    expect(logs.newest("A", 10, 0)).toHaveLength(1);
  });

  it("keeps fewer records when they are long", () => {
    const logs = new LogStore({ records: 100, bytes: 10 });
    for (let i = 0; i < 5; i++) logs.add(record("A", "x".repeat(6)));
    expect(logs.newest("A", 10, 0)).toHaveLength(1);
  });

  it("finds the records of one request, and notifies only the listeners of its function", () => {
    const logs = new LogStore({ records: 100, bytes: 1000 });
    const heard: string[] = [];
    const end = logs.listen("A", (json) => heard.push((JSON.parse(json) as LogRecord).text));
    logs.add(record("A", "1", "r1"));
    logs.add(record("B", "2", "r1"));
    logs.add(record("A", "3", "r2"));
    end();
    logs.add(record("A", "4", "r1"));
    expect(heard).toEqual(["1", "3"]);
    expect(logs.ofRequest("A", "r1").map(({ text }) => text)).toEqual(["1", "4"]);
  });
});

describe("receipts", () => {
  it.each([
    ["a replay", { json: "2", success: false, failure: "NoncePassed" }, "1"],
    ["a broken signature", { json: "2", success: false, failure: "InvalidSignature" }, "1"],
    ["a success", { json: "2", success: true, failure: null }, "2"],
  ])("of a success after %s", (_name, later, expected) => {
    const store = new CommittedStore(TEST_HISTORY);
    store.fileReceipt("h", { json: "1", success: true, failure: null });
    store.fileReceipt("h", later);
    expect(store.receipts.get("h")?.json).toBe(expected);
  });

  it("of a failure are replaced by a success, but not by a replay", () => {
    const store = new CommittedStore(TEST_HISTORY);
    store.fileReceipt("h", { json: "1", success: false, failure: "AccountExists" });
    store.fileReceipt("h", { json: "2", success: false, failure: "NoncePassed" });
    expect(store.receipts.get("h")?.json).toBe("1");
    store.fileReceipt("h", { json: "3", success: true, failure: null });
    expect(store.receipts.get("h")?.json).toBe("3");
  });
});
