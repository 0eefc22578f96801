import { describe, expect, it } from "vitest";
import type { Job } from "../job.ts";
import type { MichelsonError } from "../michelson/michelson-error.ts";
import { steppedTurns } from "../testing/stepped-turns.ts";
import { AWAITED_MS } from "../turns.ts";
import { OperationQueue, STALE } from "./operation-queue.ts";

function setUp() {
  const stepped = steppedTurns();
  const queue = new OperationQueue(stepped.turns);
  const add = (name: string, ms: number): Promise<string> => queue.add(() => stepped.job(name, ms), 10);
  return { ...stepped, stepped, queue, add };
}

describe("the queue of operations", () => {
  it("runs them in order, one at a time", async () => {
    const { stepped, add } = setUp();
    const all = ["a", "b", "c", "d", "e"].map((name) => add(name, 4));
    await stepped.settle();
    expect(await Promise.all(all)).toEqual(["a", "b", "c", "d", "e"]);
    expect(stepped.ended).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("lets short ones pass those that turn out to be long, then runs these", async () => {
    const { stepped, add } = setUp();
    const all = [add("long 1", 100), add("long 2", 100), add("short 1", 3), add("short 2", 3)];
    await stepped.settle();
    await Promise.all(all);
    expect(stepped.ended).toEqual(["short 1", "short 2", "long 1", "long 2"]);
  });

  it("lets a new operation pass a waiting long one, and never runs two at once", async () => {
    const { stepped, queue, add } = setUp();
    let running = 0;
    const alone = function* (name: string, ms: number): Job<string> {
      expect(++running).toBe(1);
      try {
        return yield* stepped.job(name, ms);
      } finally {
        running--;
      }
    };
    const all = [queue.add(() => alone("long", 100), 10), queue.add(() => alone("longer", 200), 10)];
    for (let i = 0; i < 12; i++) {
      stepped.turn();
      await Promise.resolve();
    }
    all.push(add("late", 2));
    await stepped.settle();
    await Promise.all(all);
    expect(stepped.ended).toEqual(["long", "late", "longer"]);
  });

  it("restarts a long one after a short one that arrives meanwhile, and finishes it when nothing waits", async () => {
    const { stepped, add } = setUp();
    const long = add("long", 2_000);
    const turns = async (until: number): Promise<void> => {
      while (stepped.now < until) {
        stepped.turn();
        await Promise.resolve();
      }
    };
    await turns(800);
    const short = add("short", 3);
    const since = stepped.now;
    while (!stepped.ended.includes("short")) await turns(stepped.now + 1);
    expect(stepped.now - since).toBeLessThan(AWAITED_MS + 30);
    await stepped.settle();
    expect(await Promise.all([long, short])).toEqual(["long", "short"]);
    expect(stepped.ended).toEqual(["short", "long"]);
  });

  it("interrupts a long one that has been retried several times", async () => {
    const { stepped, add } = setUp();
    const long = add("long", 2_000).catch((error: unknown) => (error as MichelsonError).errors[0]!.id);
    let isOver = false;
    void long.then(() => (isOver = true));
    let shorts = 0;
    const others = async (): Promise<void> => {
      while (!isOver) {
        await add("short", 3);
        shorts++;
      }
    };
    const sending = others();
    await stepped.settle();
    expect(await long).toBe("sandbox.processor_time_exhausted");
    expect(stepped.now).toBeLessThan(5 * AWAITED_MS);
    expect(shorts).toBeGreaterThan(3);
    await sending;
  });

  it("interrupts long ones without retries when many wait", async () => {
    const { stepped, add } = setUp();
    const all = Array.from({ length: 6 }, (_, i) => add(`long ${i}`, 1_000));
    const results = Promise.allSettled(all);
    await stepped.settle();
    expect((await results).filter(({ status }) => status === "rejected")).toHaveLength(2);
    expect(stepped.now).toBeLessThan(2 * AWAITED_MS + 4 * 1_000 + 200);
  });

  it("restarts one whose state is no longer the newest", async () => {
    const { stepped, queue } = setUp();
    let tries = 0;
    const result = queue.add(function* (): Job<string | typeof STALE> {
      yield;
      return ++tries < 3 ? STALE : "done";
    }, 10);
    await stepped.settle();
    expect([await result, tries]).toEqual(["done", 3]);
  });

  it("runs actions between operations, never during one", async () => {
    const { stepped, queue, add } = setUp();
    queue.between(() => stepped.ended.push("at once"));
    const all = [add("long", 100), add("long too", 100)];
    for (let i = 0; i < 5; i++) {
      stepped.turn();
      await Promise.resolve();
    }
    queue.between(() => stepped.ended.push("between"));
    expect(stepped.ended).toEqual(["at once"]);
    await stepped.settle();
    await Promise.all(all);
    expect(stepped.ended).toEqual(["at once", "long", "between", "long too"]);
  });

  it("starts short ones but no long ones while these are held", async () => {
    const { stepped, queue, add } = setUp();
    const release = queue.holdLong();
    const all = [add("long", 100), add("short", 3)];
    await stepped.settle();
    expect(stepped.ended).toEqual(["short"]);
    release();
    release();
    await stepped.settle();
    await Promise.all(all);
    expect(stepped.ended).toEqual(["short", "long"]);
  });

  it("runs one at a time even when an action in between adds another", async () => {
    const { stepped, queue, add } = setUp();
    let running = 0;
    const alone = function* (name: string): Job<string> {
      expect(++running).toBe(1);
      try {
        return yield* stepped.job(name, 60);
      } finally {
        running--;
      }
    };
    const all = [add("first", 60)];
    for (let i = 0; i < 5; i++) {
      stepped.turn();
      await Promise.resolve();
    }
    queue.between(() => {
      all.push(
        queue.add(() => alone("second"), 10),
        queue.add(() => alone("third"), 10),
      );
      queue.holdLong()();
    });
    await stepped.settle();
    await Promise.all(all);
    expect(stepped.ended).toEqual(["first", "second", "third"]);
  });

  it("continues after one that throws", async () => {
    const { stepped, queue, add } = setUp();

    const failing = queue.add(function* (): Job<string> {
      throw new TypeError("no");
    }, 10);
    const caught = failing.catch((error: unknown) => error);
    const next = add("next", 2);
    await stepped.settle();
    expect(await caught).toBeInstanceOf(TypeError);
    expect(await next).toBe("next");
  });

  it("refuses operations when too many bytes are queued", async () => {
    const { stepped, queue } = setUp();
    const all: Promise<string>[] = [];
    let code: unknown;
    try {
      for (let i = 0; i < 100; i++) all.push(queue.add(() => stepped.job("x", 20), 1_000_000));
    } catch (error) {
      ({ code } = error as { code: string });
    }
    expect(code).toBe("LAYER1_BUSY");
    await stepped.settle();
    await Promise.all(all);
    await expect(
      Promise.all([queue.add(() => stepped.job("y", 2), 1_000_000), stepped.settle()]),
    ).resolves.toBeDefined();
  });
});
