import { describe, expect, it } from "vitest";
import type { Job } from "./job.ts";
import { GasMeter } from "./michelson/gas.ts";
import { type MichelsonError } from "./michelson/michelson-error.ts";
import { steppedTurns } from "./testing/stepped-turns.ts";
import { ALONE_MS, AWAITED_MS, NeedsLonger, type Work } from "./turns.ts";

const TRIAL = { lane: "trial", bytes: 100 } as const;
const OPERATION = { lane: "chain", bytes: 0 } as const;

describe("turns", () => {
  it("run a short job at once, without a promise", () => {
    const { turns, job } = steppedTurns();
    expect(turns.run(() => job("short", 2), TRIAL)).toBe("short");
  });

  it("use one slice per turn, however many jobs there are", () => {
    const stepped = steppedTurns();
    const results = Array.from({ length: 20 }, (_, i) => stepped.turns.run(() => stepped.job(i, 3), TRIAL));
    expect(results.filter((result) => typeof result === "number").length).toBeLessThanOrEqual(3);
    let longest = 0;
    for (let before = stepped.now; stepped.turn(); before = stepped.now)
      longest = Math.max(longest, stepped.now - before);
    expect(longest).toBeLessThanOrEqual(11);
    expect(stepped.ended).toEqual([...Array(20).keys()]);
  });

  it("let a short job of another client pass all long ones", async () => {
    const stepped = steppedTurns();
    const long = Array.from({ length: 32 }, (_, i) =>
      stepped.turns.run(() => stepped.job(`long ${i}`, 400), TRIAL),
    );
    while (stepped.now < 3_000) stepped.turn(); // all are known to be long
    const start = stepped.now;
    void Promise.resolve(stepped.turns.run(() => stepped.job("short", 5), TRIAL));
    while (!stepped.ended.includes("short")) stepped.turn();
    expect(stepped.now - start).toBeLessThan(20);
    await stepped.settle();
    expect(await Promise.all(long.map(async (each) => each))).toHaveLength(32);
  });

  it("let a new job pass those that have started", () => {
    const stepped = steppedTurns();
    for (let i = 0; i < 20; i++) void Promise.resolve(stepped.turns.run(() => stepped.job(i, 50), TRIAL));
    while (stepped.now < 250) stepped.turn(); // all have started, none has finished
    const start = stepped.now;
    void Promise.resolve(stepped.turns.run(() => stepped.job("short", 5), TRIAL));
    while (!stepped.ended.includes("short")) stepped.turn();
    expect(stepped.now - start).toBeLessThan(20);
  });

  it("refuse a job that turns out to be long when enough long ones wait", async () => {
    const stepped = steppedTurns();
    const all = Array.from({ length: 80 }, async (_, i) => {
      try {
        return await stepped.turns.run(() => stepped.job(i, 100), TRIAL);
      } catch (error) {
        return (error as { code: string }).code;
      }
    });
    await stepped.settle();
    const results = await Promise.all(all);
    expect(results.filter((result) => result === "LAYER1_BUSY")).not.toHaveLength(0);
    expect(stepped.ended.length).toBeGreaterThanOrEqual(64);
  });

  it("drop a job that nobody waits for any more", async () => {
    const stepped = steppedTurns();
    let isGone = false;
    const dropped = Promise.resolve(
      stepped.turns.run(() => stepped.job("dropped", 400), { ...TRIAL, isGone: () => isGone }),
    ).catch((error: unknown) => (error as { code: string }).code);
    stepped.turn();
    isGone = true;
    const before = stepped.now;
    await stepped.settle();
    expect(await dropped).toBe("LAYER1_BUSY");
    expect([stepped.ended, stepped.now]).toEqual([[], before]);
  });

  it("let a long job pass longer ones before it", async () => {
    const stepped = steppedTurns();
    for (let i = 0; i < 3; i++) void stepped.turns.run(() => stepped.job(`long ${i}`, 4_000), TRIAL);
    while (stepped.now < 300) stepped.turn();
    void stepped.turns.run(() => stepped.job("shorter", 200), TRIAL);
    while (!stepped.ended.includes("shorter")) stepped.turn();
    expect(stepped.now).toBeLessThan(300 + 3 * AWAITED_MS + 300);
    await stepped.settle();
    expect(stepped.ended).toHaveLength(4);
  });

  it("finish long jobs one at a time, in order of arrival", async () => {
    const stepped = steppedTurns();
    const names = ["a", "b"];
    const all = names.map((name) => stepped.turns.run(() => stepped.job(name, 300), TRIAL));
    await stepped.settle();
    expect(await Promise.all(all.map(async (each) => each))).toEqual(names);
    expect(stepped.ended).toEqual(names);
  });

  it("give operations most of the time and trials a share", async () => {
    const stepped = steppedTurns();
    void stepped.turns.run(() => stepped.job("trial", 300), TRIAL);
    void stepped.turns.run(() => stepped.job("operation", 300), OPERATION);
    while (!stepped.ended.includes("operation")) stepped.turn();
    expect(stepped.now).toBeGreaterThan(330);
    expect(stepped.now).toBeLessThan(450);
    await stepped.settle();
    expect(stepped.ended).toEqual(["operation", "trial"]);
  });

  it("interrupt a job that has used up its time, with an error that it can report", async () => {
    const stepped = steppedTurns();
    function* reporting(): Job<unknown> {
      try {
        return yield* stepped.job("endless", Infinity);
      } catch (error) {
        return (error as MichelsonError).errors[0]!.id;
      }
    }
    const result = stepped.turns.run(reporting, TRIAL);
    await stepped.settle();
    expect(await result).toBe("sandbox.processor_time_exhausted");
    expect(stepped.now).toBeLessThan(ALONE_MS + 20);
  });

  it("give a job its full time while nobody waits for it, and less while others wait", async () => {
    const stepped = steppedTurns();
    void stepped.turns.run(() => stepped.job("alone", ALONE_MS - 100), TRIAL);
    await stepped.settle();
    expect(stepped.ended).toEqual(["alone"]);
    const endsOf = async (count: number): Promise<readonly string[]> => {
      const all = Array.from({ length: count }, async (_, i) =>
        stepped.turns.run(() => stepped.job(i, 900), TRIAL),
      );
      const results = Promise.allSettled(all);
      await stepped.settle();
      return (await results).map(({ status }) => status);
    };
    // Two have used up their time while four or more wait.
    expect((await endsOf(6)).filter((status) => status === "rejected")).toHaveLength(2);
    // Where few wait, they restart with more time.
    expect(await endsOf(3)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
  });

  it("restart a job that spends gas when its time is up, where few wait", async () => {
    const stepped = steppedTurns();
    // The meter looks at the clock just before the job rests, so it is the first to see that the time is up.
    function* spending(): Job<string> {
      const gas = new GasMeter(1e12);
      for (let i = 0; i < 900; i++) {
        stepped.now++;
        gas.spend(200_001);
        yield;
      }
      return "done";
    }
    const operation = { ...OPERATION, isAwaited: () => true, mayRetry: () => true };
    const all = [TRIAL, TRIAL, TRIAL, operation].map(async (work) =>
      Promise.resolve(stepped.turns.run(spending, work)).catch((error: unknown) => (error as Error).name),
    );
    await stepped.settle();
    expect(await Promise.all(all)).toEqual(["done", "done", "done", "NeedsLonger"]);
  });

  it("count only time during which somebody waits", async () => {
    const stepped = steppedTurns();
    let isAwaited = false;
    const result = stepped.turns.run(() => stepped.job("operation", 4_000), {
      ...OPERATION,
      isAwaited: () => isAwaited,
    }) as Promise<unknown>;
    const caught = result.catch((error: unknown) => (error as MichelsonError).errors[0]!.id);
    while (stepped.now < 2_000) stepped.turn();
    isAwaited = true;
    await stepped.settle();
    expect(await caught).toBe("sandbox.processor_time_exhausted");
    expect(stepped.now).toBeGreaterThan(2_000 + AWAITED_MS - 20);
    expect(stepped.now).toBeLessThan(2_000 + AWAITED_MS + 20);
  });

  it("interrupt a job inside a long step, as soon as it spends gas", () => {
    const stepped = steppedTurns();

    function* restless(): Job<void> {
      for (const gas = new GasMeter(1e12); ; gas.spend(1_000)) stepped.now += 0.01;
    }
    const end = (work: Work): unknown => {
      try {
        return stepped.turns.run(restless, work);
      } catch (error) {
        return (error as MichelsonError).errors[0]!.id;
      }
    };
    expect(end(TRIAL)).toBe("sandbox.processor_time_exhausted");
    expect(stepped.now).toBeLessThan(ALONE_MS + 5);
    // Outside any job there is no time limit.
    const gas = new GasMeter(1e12);
    for (let i = 0; i < 1_000; i++) gas.spend(1_000_000);
  });

  it("abandon a job that only probes whether it is short", async () => {
    const stepped = steppedTurns();
    const work = { ...OPERATION, abandonAfterMs: 5 };
    expect(() => stepped.turns.run(() => stepped.job("longer", 50), work)).toThrow(NeedsLonger);
    await stepped.settle();
    expect(stepped.turns.run(() => stepped.job("short", 4), work)).toBe("short");
  });

  it("propagate what a job throws, at once and later", async () => {
    const stepped = steppedTurns();
    const failing = function* (ms: number): Job<void> {
      yield* stepped.job("failing", ms);
      throw new TypeError("no");
    };
    expect(() => stepped.turns.run(() => failing(1), TRIAL)).toThrow(TypeError);
    const later = stepped.turns.run(() => failing(30), TRIAL) as Promise<void>;
    const caught = later.catch((error: unknown) => error);
    await stepped.settle();
    expect(await caught).toBeInstanceOf(TypeError);
  });

  it("refuse jobs when too many wait or hold too much, and accept them again later", async () => {
    const stepped = steppedTurns();
    const busy = (bytes: number, count: number): string | undefined => {
      try {
        for (let i = 0; i < count; i++)
          void stepped.turns.run(() => stepped.job(i, 7), { lane: "trial", bytes });
        return undefined;
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(busy(10, 600)).toBe("LAYER1_BUSY");
    await stepped.settle();
    expect(busy(1_000_000, 100)).toBe("LAYER1_BUSY");
    await stepped.settle();
    expect(busy(1_000_000, 30)).toBe(undefined);
    await stepped.settle();
  });

  it("attempt a job in one go, and abandon it when it takes too long", () => {
    const { turns, job, ended } = steppedTurns();
    expect(turns.attempt(job("short", 5), 10)).toEqual({ value: "short" });
    expect(turns.attempt(job("long", 50), 10)).toBe(undefined);
    expect(ended).toEqual(["short"]);
  });
});
