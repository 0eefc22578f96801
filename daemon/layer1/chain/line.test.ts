import { describe, expect, it } from "vitest";
import type { Job } from "../job.ts";
import type { MichelsonError } from "../michelson/michelson-error.ts";
import { steppedTurns } from "../testing/stepped-turns.ts";
import { AWAITED_MS } from "../turns.ts";
import { Line, STALE } from "./line.ts";

function setUp() {
  const stepped = steppedTurns();
  const line = new Line(stepped.turns);
  const add = (name: string, ms: number): Promise<string> => line.add(() => stepped.job(name, ms), 10);
  return { ...stepped, stepped, line, add };
}

describe("the line of operations", () => {
  it("does them in order, one at a time", async () => {
    const { stepped, add } = setUp();
    const all = ["a", "b", "c", "d", "e"].map((name) => add(name, 4));
    await stepped.settle();
    expect(await Promise.all(all)).toEqual(["a", "b", "c", "d", "e"]);
    expect(stepped.ended).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("lets short ones by those that turn out to be long, and then does these", async () => {
    const { stepped, add } = setUp();
    const all = [add("long 1", 100), add("long 2", 100), add("short 1", 3), add("short 2", 3)];
    await stepped.settle();
    await Promise.all(all);
    expect(stepped.ended).toEqual(["short 1", "short 2", "long 1", "long 2"]);
  });

  it("lets an operation by that comes while a long one waits, and no two run at once", async () => {
    const { stepped, line, add } = setUp();
    let running = 0;
    const alone = function* (name: string, ms: number): Job<string> {
      expect(++running).toBe(1);
      try {
        return yield* stepped.job(name, ms);
      } finally {
        running--;
      }
    };
    const all = [line.add(() => alone("long", 100), 10), line.add(() => alone("longer", 200), 10)];
    for (let i = 0; i < 12; i++) {
      stepped.turn();
      await Promise.resolve();
    }
    all.push(add("late", 2));
    await stepped.settle();
    await Promise.all(all);
    expect(stepped.ended).toEqual(["long", "late", "longer"]);
  });

  it("begins a long one anew for a short one that comes meanwhile, and does it when nobody waits", async () => {
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

  it("ends a long one that others have waited for some times", async () => {
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

  it("ends long ones at once when many wait", async () => {
    const { stepped, add } = setUp();
    const all = Array.from({ length: 6 }, (_, i) => add(`long ${i}`, 1_000));
    const results = Promise.allSettled(all);
    await stepped.settle();
    expect((await results).filter(({ status }) => status === "rejected")).toHaveLength(2);
    expect(stepped.now).toBeLessThan(2 * AWAITED_MS + 4 * 1_000 + 200);
  });

  it("begins one anew that worked on a state that is no longer the newest", async () => {
    const { stepped, line } = setUp();
    let tries = 0;
    const result = line.add(function* (): Job<string | typeof STALE> {
      yield;
      return ++tries < 3 ? STALE : "done";
    }, 10);
    await stepped.settle();
    expect([await result, tries]).toEqual(["done", 3]);
  });

  it("does other things between two operations, never within one", async () => {
    const { stepped, line, add } = setUp();
    line.between(() => stepped.ended.push("at once"));
    const all = [add("long", 100), add("long too", 100)];
    for (let i = 0; i < 5; i++) {
      stepped.turn();
      await Promise.resolve();
    }
    line.between(() => stepped.ended.push("between"));
    expect(stepped.ended).toEqual(["at once"]);
    await stepped.settle();
    await Promise.all(all);
    expect(stepped.ended).toEqual(["at once", "long", "between", "long too"]);
  });

  it("begins no long one while that is held, but short ones", async () => {
    const { stepped, line, add } = setUp();
    const release = line.holdLong();
    const all = [add("long", 100), add("short", 3)];
    await stepped.settle();
    expect(stepped.ended).toEqual(["short"]);
    release();
    release();
    await stepped.settle();
    await Promise.all(all);
    expect(stepped.ended).toEqual(["short", "long"]);
  });

  it("does one at a time also when what is done between two adds another", async () => {
    const { stepped, line, add } = setUp();
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
    line.between(() => {
      all.push(
        line.add(() => alone("second"), 10),
        line.add(() => alone("third"), 10),
      );
      line.holdLong()();
    });
    await stepped.settle();
    await Promise.all(all);
    expect(stepped.ended).toEqual(["first", "second", "third"]);
  });

  it("goes on after one that throws", async () => {
    const { stepped, line, add } = setUp();

    const failing = line.add(function* (): Job<string> {
      throw new TypeError("no");
    }, 10);
    const caught = failing.catch((error: unknown) => error);
    const next = add("next", 2);
    await stepped.settle();
    expect(await caught).toBeInstanceOf(TypeError);
    expect(await next).toBe("next");
  });

  it("refuses operations when too many bytes of them wait", async () => {
    const { stepped, line } = setUp();
    const all: Promise<string>[] = [];
    let code: unknown;
    try {
      for (let i = 0; i < 100; i++) all.push(line.add(() => stepped.job("x", 20), 1_000_000));
    } catch (error) {
      ({ code } = error as { code: string });
    }
    expect(code).toBe("LAYER1_BUSY");
    await stepped.settle();
    await Promise.all(all);
    await expect(
      Promise.all([line.add(() => stepped.job("y", 2), 1_000_000), stepped.settle()]),
    ).resolves.toBeDefined();
  });
});
