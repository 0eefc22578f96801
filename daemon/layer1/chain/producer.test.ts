import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type DrivenChain, driveChain } from "../testing/driven-chain.ts";
import { Producer, type Timing } from "./producer.ts";

let driven: DrivenChain;
let producer: Producer;

function start(timing: Timing): void {
  driven = driveChain();
  producer = new Producer(driven.chain, {
    timing,
    blockTimeMs: 1_000,
    onError: (error) => {
      throw error;
    },
  });
  producer.start();
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  producer.stop();
  vi.useRealTimers();
});

/** Applies a transfer, for which no block is asked yet. @returns its hash */
const accept = (): Promise<string> =>
  driven.chain.inject(
    driven.sign(
      driven.fill([
        { kind: "transaction", destination: "tz1gjaF81ZRRvdzjobyfVNsAeSC6PScjfQwN", amount: "1" },
      ]),
    ),
  );

/** Injects a transfer and tells the producer, as the RPC does. */
async function inject(): Promise<{ readonly included: Promise<void> }> {
  return { included: producer.accepted(await accept()) };
}

describe("instant timing", () => {
  it("makes a block for an operation at once, and one block for simultaneous ones", async () => {
    start("instant");
    const level = driven.chain.head.level;
    const all = [await inject(), await inject(), await inject()];
    await vi.advanceTimersByTimeAsync(0);
    await Promise.all(all.map(({ included }) => included));
    expect(driven.chain.head.level).toBe(level + 1);
    expect(driven.chain.head.operations).toHaveLength(3);
  });

  it("makes a block each block time while idle", async () => {
    start("instant");
    const level = driven.chain.head.level;
    await vi.advanceTimersByTimeAsync(3_500);
    expect(driven.chain.head.level).toBe(level + 3);
  });

  it("keeps a block with an operation as the head until its client had time to see it", async () => {
    start("instant");
    await inject();
    await vi.advanceTimersByTimeAsync(0);
    const first = driven.chain.head;
    await inject();
    await vi.advanceTimersByTimeAsync(5);
    expect(driven.chain.head).toBe(first);
    await vi.advanceTimersByTimeAsync(20);
    expect(driven.chain.head.level).toBe(first.level + 1);
  });

  it("makes no further block for an operation that a block by time has included already", async () => {
    start("instant");
    const hash = await accept();
    const block = producer.bake();
    expect(block.operations).toHaveLength(1);
    await producer.accepted(hash);
    await vi.advanceTimersByTimeAsync(500);
    expect(driven.chain.head).toBe(block);
  });

  it("does not hide a client's block for an operation of its own, nor wait for clients to see that", async () => {
    start("instant");
    await inject();
    await vi.advanceTimersByTimeAsync(0);
    const first = driven.chain.head;
    const hash = await accept();
    producer.acceptedOwn(hash);
    await vi.advanceTimersByTimeAsync(400);
    expect(driven.chain.head).toBe(first);
    producer.headSeen();
    await vi.advanceTimersByTimeAsync(200);
    expect(driven.chain.head.operations.map((operation) => operation.hash)).toEqual([hash]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(driven.chain.head.level).toBe(first.level + 2);
  });

  it("makes a client wait no longer because an operation of its own can", async () => {
    start("instant");
    await inject();
    await vi.advanceTimersByTimeAsync(0);
    const first = driven.chain.head;
    const hash = await accept();
    producer.acceptedOwn(hash);
    void producer.accepted(hash);
    await vi.advanceTimersByTimeAsync(50);
    expect(driven.chain.head.level).toBe(first.level + 1);
  });

  it("makes one block when two were due while an operation was applied", async () => {
    start("instant");
    const { level } = driven.chain.head;
    const due: (() => void)[] = [];
    const between = vi.spyOn(driven.chain, "between").mockImplementation((act) => void due.push(act));
    const { included } = await inject();
    await vi.advanceTimersByTimeAsync(1_500);
    between.mockRestore();
    expect(due).toHaveLength(2);
    for (const act of due) act();
    await included;
    await vi.advanceTimersByTimeAsync(500);
    expect(driven.chain.head.level).toBe(level + 1);
    expect(driven.chain.head.operations).toHaveLength(1);
    producer.headSeen();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(driven.chain.head.level).toBe(level + 2);
  });

  it("makes the next block by time later while the client has not seen its operation", async () => {
    start("instant");
    await inject();
    await vi.advanceTimersByTimeAsync(0);
    const first = driven.chain.head;
    await vi.advanceTimersByTimeAsync(4_900);
    expect(driven.chain.head).toBe(first);
    await vi.advanceTimersByTimeAsync(200);
    expect(driven.chain.head.level).toBe(first.level + 1);
    // That one has no operations: time goes on as ever.
    await vi.advanceTimersByTimeAsync(2_000);
    expect(driven.chain.head.level).toBe(first.level + 3);
  });

  it.each([
    [400, 600],
    [2_000, 0],
  ])("makes it when due once the client has seen its operation, after %d ms", async (seenAfter, rest) => {
    start("instant");
    await inject();
    await vi.advanceTimersByTimeAsync(0);
    const first = driven.chain.head;
    await vi.advanceTimersByTimeAsync(seenAfter);
    producer.headSeen();
    expect(driven.chain.head).toBe(first);
    await vi.advanceTimersByTimeAsync(rest + 1);
    expect(driven.chain.head.level).toBe(first.level + 1);
  });

  it("continues at once when the client has seen the head", async () => {
    start("instant");
    await inject();
    await vi.advanceTimersByTimeAsync(0);
    const first = driven.chain.head;
    producer.headSeen();
    await inject();
    await vi.advanceTimersByTimeAsync(0);
    expect(driven.chain.head.level).toBe(first.level + 1);
  });
});

describe("interval timing", () => {
  it("leaves an operation pending until the block time has passed", async () => {
    start("interval");
    const level = driven.chain.head.level;
    const { included } = await inject();
    // Resolves before the block exists: the client gets its hash and waits for the confirmation.
    await included;
    expect(driven.chain.pending).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(driven.chain.head.level).toBe(level + 1);
    expect(driven.chain.head.operations).toHaveLength(1);
  });
});

describe("pausing", () => {
  it("stops blocks by time and by injection; pending operations are included on resume", async () => {
    start("instant");
    const level = driven.chain.head.level;
    producer.pause();
    const { included } = await inject();
    await included;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(driven.chain.head.level).toBe(level);
    producer.resume();
    await vi.advanceTimersByTimeAsync(0);
    expect(driven.chain.head.level).toBe(level + 1);
    expect(driven.chain.head.operations).toHaveLength(1);
  });

  it("still bakes on demand", () => {
    start("instant");
    producer.pause();
    const level = driven.chain.head.level;
    producer.bake();
    expect(driven.chain.head.level).toBe(level + 1);
  });
});

describe("the time of a block", () => {
  it("is the time that scripts see, also when the second changes between acceptance and block", async () => {
    start("interval");
    const clock = [
      { prim: "parameter", args: [{ prim: "unit" }] },
      { prim: "storage", args: [{ prim: "timestamp" }] },
      {
        prim: "code",
        args: [
          [
            { prim: "DROP" },
            { prim: "NOW" },
            { prim: "NIL", args: [{ prim: "operation" }] },
            { prim: "PAIR" },
          ],
        ],
      },
    ];
    const [origination] = await driven.apply({
      kind: "origination",
      balance: "0",
      script: { code: clock, storage: { int: "0" } },
    });
    const result = origination!.operation_result;
    const [address] = result.status === "applied" ? result.originated_contracts! : [];
    const call = driven.fill([{ kind: "transaction", destination: address!, amount: "0" }]);
    await driven.chain.inject(driven.sign(call));
    driven.now += 5n;
    const block = producer.bake();
    expect(block.operations).toHaveLength(1);
    expect(driven.chain.contextAt(block).account(address!)!.contract!.storage).toBe(block.timestamp);
  });
});
