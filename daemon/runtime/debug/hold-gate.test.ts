import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HOLD_SECONDS } from "../../protocol/debug-session-api.ts";
import { addressOf } from "../../tezos/address.ts";
import { mutez } from "../../tezos/mutez.ts";
import { JobEntrance } from "../job-entrance.ts";
import type { Job } from "../operations/jobs.ts";
import { runContent } from "../test-node.ts";
import { HoldGate } from "./hold-gate.ts";

const HOLD_MS = HOLD_SECONDS.usual * 1000;
const SENDER = addressOf("tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb");

/** Jobs that the executor has, and what became of them. */
let executing: Job[];
let submitted: string[];
let told: string[];
let entrance: JobEntrance;
let gate: HoldGate;
let takeAway: () => void;
let seq = 0;

beforeEach(() => {
  vi.useFakeTimers();
  executing = [];
  submitted = [];
  told = [];
  entrance = new JobEntrance({
    get queued() {
      return executing.length;
    },
    submit(job) {
      executing.push(job);
      submitted.push(job.hash);
    },
  });
  takeAway = entrance.putGate((executor) => {
    gate = new HoldGate(executor, {
      holdMs: HOLD_MS,
      onHeld: (hash) => told.push(`held ${hash}`),
      onReleased: (hash, by) => told.push(`released ${hash} by ${by}`),
    });
    return gate;
  });
});
afterEach(() => vi.useRealTimers());

const operation = (
  hash: string,
  content = runContent("jstz://KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ/"),
): Job => ({
  kind: "operation",
  seq: ++seq,
  hash,
  sender: SENDER,
  nonce: 0n,
  refusal: null,
  content,
});

const deposit = (hash: string): Job => ({
  kind: "deposit",
  seq: ++seq,
  hash,
  deposit: { kind: "tez", receiver: SENDER, amount: mutez(1n), source: SENDER },
});

const deploy = (hash: string): Job =>
  operation(hash, { _type: "DeployFunction", functionCode: "", accountCredit: 0n });

function finish(hash: string): void {
  const job = executing.find((each) => each.hash === hash)!;
  executing.splice(executing.indexOf(job), 1);
  entrance.ended(job.seq);
}

describe("the gate of a debugger", () => {
  it("keeps the order of operations and deposits, whatever is held", () => {
    for (const job of [operation("a"), deposit("b"), operation("c"), deploy("d"), operation("e")])
      entrance.pass(job);
    expect([submitted, told]).toEqual([[], ["held a"]]);
    expect(entrance.atGate).toEqual({ hash: "a", waiting: 4, seconds: HOLD_SECONDS.usual });
    expect([entrance.queued, entrance.isAtRest]).toEqual([5, true]);
    gate.done("a");
    // The next call is looked at on the state after all before it.
    expect(submitted).toEqual(["a", "b"]);
    finish("a");
    expect(told).toEqual(["held a", "released a by session"]);
    finish("b");
    expect(told.at(-1)).toBe("held c");
    gate.done("c");
    expect(submitted).toEqual(["a", "b", "c", "d"]);
    finish("c");
    finish("d");
    expect(told.at(-1)).toBe("held e");
    gate.done("e");
    expect([submitted.join(""), entrance.atGate]).toEqual(["abcde", undefined]);
  });

  it("lets an operation go on when its time is over, and holds no other until nobody looks at it", () => {
    entrance.pass(operation("a"));
    entrance.pass(operation("b"));
    vi.advanceTimersByTime(HOLD_MS - 1);
    expect(submitted).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(submitted).toEqual(["a", "b"]);
    expect(told).toEqual(["held a", "released a by time"]);
    entrance.pass(operation("c"));
    for (const hash of ["a", "b", "c"]) finish(hash);
    gate.done("a");
    entrance.pass(operation("d"));
    expect([submitted.join(""), told.at(-1)]).toEqual(["abc", "held d"]);
  });

  it("lets one go on that the debugger still shows", () => {
    entrance.pass(operation("a"));
    entrance.pass(operation("b"));
    gate.release("b");
    gate.done("b");
    expect(submitted).toEqual([]);
    gate.release("a");
    expect([submitted, told]).toEqual([
      ["a", "b"],
      ["held a", "released a by session"],
    ]);
    vi.advanceTimersByTime(2 * HOLD_MS);
    expect(told).toHaveLength(2);
  });

  it("lets everything go on when it is taken away, in order, and keeps nothing back from then on", () => {
    for (const job of [operation("a"), deposit("b"), operation("c")]) entrance.pass(job);
    takeAway();
    entrance.pass(operation("d"));
    expect([submitted.join(""), entrance.atGate]).toEqual(["abcd", undefined]);
    takeAway();
    expect(submitted).toHaveLength(4);
  });

  it("gives way to a snapshot: what was accepted before it goes on, what comes later waits", () => {
    entrance.pass(operation("a"));
    entrance.pass(deposit("b"));
    entrance.hold();
    expect([submitted, told.at(-1)]).toEqual([["a", "b"], "released a by owner"]);
    gate.done("a");
    entrance.pass(deposit("c"));
    entrance.pass(operation("d"));
    expect([submitted.length, entrance.holdsDeposits]).toEqual([2, true]);
    finish("a");
    finish("b");
    expect(entrance.isAtRest).toBe(true);
    entrance.release();
    expect([submitted.join(""), entrance.isHeld]).toEqual(["abc", false]);
    finish("c");
    expect(told.at(-1)).toBe("held d");
  });

  it("lets everything go on at the end of the sandbox", () => {
    for (const job of [operation("a"), deposit("b")]) entrance.pass(job);
    entrance.close();
    entrance.pass(operation("c"));
    expect(submitted).toEqual(["a", "b", "c"]);
  });

  it("holds nothing while an operation waits for the outside: its answer may be what comes next", () => {
    entrance.pass(deploy("a"));
    const [first] = executing;
    entrance.pass(operation("b"));
    expect([submitted, told]).toEqual([["a"], []]);
    entrance.waits(first!.seq);
    expect([submitted, told]).toEqual([["a", "b"], []]);
    entrance.pass(operation("c"));
    expect(submitted).toEqual(["a", "b"]); // `b` runs
    finish("b");
    expect(submitted).toEqual(["a", "b", "c"]);
    finish("c");
    finish("a");
    entrance.pass(operation("d"));
    expect(told).toEqual(["held d"]);
  });

  it("waits for operations that run again, because their executor was lost while they waited", () => {
    entrance.pass(deploy("a"));
    entrance.waits(executing[0]!.seq);
    entrance.restarted();
    entrance.pass(operation("b"));
    expect(submitted).toEqual(["a"]);
    finish("a");
    expect(told).toEqual(["held b"]);
  });

  it("holds calls only, and none that is refused anyway", () => {
    entrance.pass({ ...operation("a"), refusal: "wrong signature" } as Job);
    finish("a");
    entrance.pass(deploy("b"));
    finish("b");
    entrance.pass(deposit("c"));
    expect([submitted, told]).toEqual([["a", "b", "c"], []]);
  });

  it("keeps the order when operations end as soon as they are passed on", () => {
    const order: string[] = [];
    let queued = 0;
    const prompt: JobEntrance = new JobEntrance({
      get queued() {
        return queued;
      },
      submit(job) {
        order.push(job.hash);
        if (job.hash === "a") prompt.pass(deposit("d"));
        prompt.ended(job.seq);
      },
    });
    let last!: HoldGate;
    prompt.putGate((executor) => {
      last = new HoldGate(executor, { holdMs: HOLD_MS, onHeld: () => {}, onReleased: () => {} });
      return last;
    });
    for (const job of [operation("a"), deposit("b"), deposit("c")]) prompt.pass(job);
    last.flush();
    expect(order.join("")).toBe("abcd");
    last.done("a");
    queued = 1;
    for (const hash of ["e", "f", "g"]) prompt.pass(operation(hash));
    queued = 0;
    last.flush();
    expect([order.join(""), last.held]).toEqual(["abcdefg", undefined]);
  });
});
