import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Address } from "../../tezos/address.ts";
import { mutez } from "../../tezos/mutez.ts";
import { FairQueue } from "./fair-queue.ts";
import type { Job, OperationJob } from "./jobs.ts";

let queue: FairQueue;
let now: number;
let seq: number;
beforeEach(() => {
  now = 0;
  seq = 0;
  queue = new FairQueue(() => now);
});

/** Senders have short names: the queue only compares them. */
function job(sender: string, target: string): Job {
  seq++;
  const content = {
    _type: "RunFunction",
    uri: `jstz://${target}/`,
    method: "GET",
    headers: {},
    body: null,
    gasLimit: 1n,
  } as const;
  return {
    kind: "operation",
    seq,
    hash: "",
    sender: sender as Address,
    nonce: BigInt(seq),
    refusal: null,
    content,
  };
}
const nameOf = (each: Job): string => `${each.kind === "operation" ? each.sender : "deposit"}${each.seq}`;
/** All waiting jobs, in the order of their execution. */
function drain(max = 2): string[] {
  const order: string[] = [];
  for (let jobs = queue.take(max); jobs.length > 0; jobs = queue.take(max))
    order.push(jobs.map(nameOf).join());
  return order;
}

describe("the order of operations", () => {
  it("is the order of arrival", () => {
    for (const sender of ["a", "b", "a", "c", "b"]) queue.push(job(sender, "f"));
    expect(drain(3)).toEqual(["a1,b2,a3", "c4,b5"]);
  });

  it("lets others go before a sender whose operation was slow, then alternates", () => {
    queue.tookLong(job("m", "f"), 500);
    for (const [sender, target] of [..."mmmm"]
      .map((each) => [each, "g"])
      .concat([
        ["a", "h"],
        ["b", "h"],
        ["c", "h"],
      ]))
      queue.push(job(sender!, target!));
    expect(drain()).toEqual(["a6,b7", "m2", "c8", "m3", "m4", "m5"]);
  });

  it("counts the function as well, whoever calls it", () => {
    queue.tookLong(job("m", "bomb"), 500);
    for (const sender of ["x", "y", "z"]) queue.push(job(sender, "bomb"));
    queue.push(job("a", "h"));
    expect(drain()).toEqual(["a5", "x2", "y3", "z4"]);
  });

  it("gives slow senders one operation each in turn", () => {
    for (const sender of ["m", "n"]) queue.tookLong(job(sender, sender), 500);
    for (const sender of ["m", "m", "m", "n", "n"]) queue.push(job(sender, "x"));
    expect(drain()).toEqual(["m3", "n6", "m4", "n7", "m5"]);
  });

  it("forgives slow senders after a while", () => {
    queue.tookLong(job("m", "f"), 500);
    now = 9_999;
    expect(queue.hasSlow).toBe(true);
    now = 10_000;
    expect(queue.hasSlow).toBe(false);
  });

  it("never delays deposits of tez", () => {
    const name = "m" as Address;
    const deposit = { kind: "tez", receiver: name, source: name, amount: mutez(1n) } as const;
    queue.tookLong(job("m", "f"), 500);
    queue.push(job("m", "f"));
    queue.push({ kind: "deposit", seq: ++seq, hash: "", deposit });
    expect(drain()).toEqual(["deposit3", "m2"]);
  });

  it("remembers a bounded number of slow senders", () => {
    for (let i = 0; i < 20_000; i++) queue.tookLong(job(`m${i}`, "f"), 1e9);
    queue.push(job("m0", "g"));
    queue.push(job("m19999", "g"));
    expect(drain()).toEqual([`m0${seq - 1}`, `m19999${seq}`]);
  });

  it("does not delay a sender that was quick on a function that others have made slow", () => {
    queue.ended(job("a", "f"));
    queue.tookLong(job("m", "f"), 500);
    for (let i = 0; i < 50; i++) queue.push(job(`fresh${i}`, "f"));
    queue.push(job("a", "f"));
    expect(queue.take(2).map(nameOf)).toEqual([`a${seq}`]);
  });

  it("lets no new keys that call a slow function delay an earlier sender", () => {
    for (const sender of ["m", "n", "a"]) queue.ended(job(sender, `of ${sender}`));
    queue.tookLong(job("m", "f"), 500);
    queue.tookLong(job("a", "own"), 500);
    for (let i = 0; i < 50; i++) queue.push(job(`early${i}`, "f"));
    queue.push(job("a", "f"));
    // A new key arrives for each executed operation.
    for (let turn = 1; turn <= 8; turn++) {
      queue.push(job(`late${turn}`, "f"));
      if (queue.take(2).some((each) => nameOf(each).startsWith("a"))) return;
    }
    expect.unreachable("the sender that was there first came after eight of the new ones");
  });

  it("lets no thousands of earlier newcomers delay a newcomer", () => {
    queue.tookLong(job("m", "f"), 500);
    for (let i = 0; i < 5_000; i++) queue.push(job(`m${i}`, `f${i}`));
    queue.push(job("a", "own"));
    const first = [queue.take(32), queue.take(32)].flat();
    expect(first.map(nameOf)).toContain(`a${seq}`);
  });

  it("lets operations with a false signature delay no sender, and blames none for them", () => {
    queue.ended(job("a", "f"));
    queue.tookLong(job("m", "g"), 500);
    const forged: Job = { ...(job("a", "g") as OperationJob), refusal: "InvalidSignature" };
    queue.tookLong(forged, 500);
    queue.ended(forged);
    for (let i = 0; i < 400; i++) queue.push({ ...forged, seq: ++seq });
    queue.push(job("m", "g"));
    const honest = job("a", "f");
    queue.push(honest);
    const first = queue.take(2);
    expect(first).toContain(honest);
    expect(first.length).toBeGreaterThan(2); // those take no time
    const rest: Job[] = [];
    for (let jobs = queue.take(2); jobs.length > 0; jobs = queue.take(2)) rest.push(...jobs);
    expect(first.length + rest.length).toBe(402);
  });

  it("never changes within one sender, and no operation is lost or duplicated", () => {
    const step = fc.oneof(
      fc.record({ push: fc.constantFrom("a", "b", "c", "m"), target: fc.constantFrom("f", "g", "h") }),
      fc.record({ take: fc.integer({ min: 1, max: 4 }), putBack: fc.integer({ min: 0, max: 3 }) }),
      fc.record({
        slow: fc.constantFrom("a", "m"),
        target: fc.constantFrom("f", "x"),
        ms: fc.integer({ min: 100, max: 2_000 }),
      }),
      fc.record({ ended: fc.constantFrom("a", "b", "m"), of: fc.constantFrom("f", "g") }),
      fc.record({ pass: fc.integer({ min: 1, max: 20_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        now = 0;
        seq = 0;
        queue = new FairQueue(() => now);
        const pushed: Job[] = [];
        const done: Job[] = [];
        for (const each of steps) {
          if ("push" in each) {
            pushed.push(job(each.push, each.target));
            queue.push(pushed.at(-1)!);
          } else if ("take" in each) {
            const jobs = queue.take(each.take);
            const kept = Math.max(0, jobs.length - each.putBack);
            done.push(...jobs.slice(0, kept));
            queue.putBack(jobs.slice(kept));
          } else if ("slow" in each) queue.tookLong(job(each.slow, each.target), each.ms);
          else if ("ended" in each) queue.ended(job(each.ended, each.of));
          else now += each.pass;
        }
        for (let jobs = queue.take(3); jobs.length > 0; jobs = queue.take(3)) done.push(...jobs);
        expect(queue.size).toBe(0);
        expect([...done].sort((a, b) => a.seq - b.seq)).toEqual(pushed);
        for (const sender of "abcm") {
          const own = done.filter((each) => each.kind === "operation" && each.sender === sender);
          expect(own.map((each) => each.seq)).toEqual(own.map((each) => each.seq).sort((a, b) => a - b));
        }
      }),
      { numRuns: 500 },
    );
  });
});
