import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ReceiptWaiters } from "./receipt-waiters.ts";

let answers: (string | undefined)[];
let waiters: ReceiptWaiters;
const wait = (hash: string, gone = false): void =>
  waiters.wait(
    hash,
    (json) => answers.push(json),
    () => gone,
  );

beforeEach(() => {
  vi.useFakeTimers();
  answers = [];
  waiters = new ReceiptWaiters(20_000);
});
afterEach(() => {
  waiters.close();
  vi.useRealTimers();
});

describe("requests for pending receipts", () => {
  it("are all answered once when the receipt arrives", () => {
    wait("a");
    wait("a");
    wait("b");
    waiters.settle("a", "{}");
    waiters.settle("a", "{}");
    expect(answers).toEqual(["{}", "{}"]);
  });

  it("are answered without a receipt, each at its own deadline", () => {
    wait("a");
    vi.advanceTimersByTime(10_000);
    wait("a");
    vi.advanceTimersByTime(12_000);
    expect(answers).toEqual([undefined]);
    vi.advanceTimersByTime(10_000);
    expect(answers).toEqual([undefined, undefined]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("stay open while a debugger keeps operations back, and have their time after that", () => {
    let isHeld = true;
    waiters = new ReceiptWaiters(20_000, () => isHeld);
    wait("a");
    vi.advanceTimersByTime(100_000);
    isHeld = false;
    vi.advanceTimersByTime(19_000);
    expect(answers).toEqual([]);
    vi.advanceTimersByTime(2_000);
    expect(answers).toEqual([undefined]);
  });

  it("of disconnected clients are dropped", () => {
    wait("a", true);
    vi.advanceTimersByTime(30_000);
    waiters.settle("a", "{}");
    expect(answers).toEqual([]);
  });

  it("are answered without a receipt when the server closes", () => {
    wait("a");
    waiters.close();
    expect(answers).toEqual([undefined]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
