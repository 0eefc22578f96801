import { beforeAll, describe, expect, it } from "vitest";
import { amount, LONG } from "../../../test/support/long-run.ts";
import { type Engine } from "../engine/engine.ts";
import { testEngine } from "../engine/test-engine.ts";
import { runContent } from "../test-node.ts";
import { obstacleOf } from "./obstacle.ts";
import { CALLEE, CALLER, OUTSIDE, randomOperations } from "./test-operations.ts";
import { essenceOf, RecordedRuntime } from "./test-recorded.ts";

/** Includes the time to build the engine when it is missing. */
const BUILD_MS = 60_000;

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
}, BUILD_MS);

const OK = { status: 200, statusText: "OK", headers: [], body: "fresh" } as const;
/** Answers reach the executor in a microtask. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function expectSame(runtime: RecordedRuntime, hash: string): void {
  const again = runtime.replay(hash, { engine });
  expect(again).toBeDefined();
  expect(essenceOf(again!)).toEqual(essenceOf(runtime.outcomes.get(hash)!));
}

describe("a replay", () => {
  it(
    "ends as the operation did, for random operations in random order",
    async () => {
      const runtime = new RecordedRuntime(engine);
      const hashes = await randomOperations(runtime, amount(75, 1_000), LONG ? Date.now() : 7);
      const kinds = new Set<string>();
      const shuffled = hashes.sort((one, other) => one.slice(9).localeCompare(other.slice(9)));
      for (const hash of shuffled) {
        const { failure, statusCode } = runtime.outcomes.get(hash)!;
        kinds.add(failure?.split(/[: ]/)[0] ?? `${statusCode}`);
        expectSame(runtime, hash);
      }
      // The operations end in many ways, or the comparison would say little.
      expect([...kinds]).toEqual(expect.arrayContaining(["200", "404", "500", "null", "NoncePassed"]));
    },
    LONG ? 600_000 : 60_000,
  );

  it("of an operation that waited gets the same answers, on the state of its end", async () => {
    const runtime = new RecordedRuntime(engine);
    const outside = runtime.deploy("a", OUTSIDE);
    const hash = runtime.send("a", runContent(`jstz://${outside}/two`));
    expect(runtime.asked).toHaveLength(2);
    runtime.send("b", runContent(`jstz://${outside}/count`)); // changes what the first one reads at its end
    runtime.asked[1]!.answer({ ...OK, body: "second" });
    await nextTurn();
    runtime.send("b", runContent(`jstz://${outside}/count`));
    runtime.asked[0]!.answer({ ...OK, body: "first" });
    await nextTurn();
    runtime.send("b", runContent(`jstz://${outside}/count`));
    expect(runtime.outcomes.get(hash)).toMatchObject({ statusCode: 200 });
    expect(
      Buffer.from(JSON.parse(runtime.outcomes.get(hash)!.receipt).result.inner.body, "base64").toString(),
    ).toBe("first second 2");
    for (const each of runtime.outcomes.keys()) expectSame(runtime, each);
  });

  it("sees the times that the calls of the operation saw", () => {
    const runtime = new RecordedRuntime(engine, { realTime: true });
    const callee = runtime.deploy("a", CALLEE);
    const caller = runtime.deploy("a", CALLER);
    const hash = runtime.send("a", runContent(`jstz://${caller}/time?to=${callee}`));
    expect(runtime.outcomes.get(hash)!.circumstances?.times).toHaveLength(2);
    expectSame(runtime, hash);
  });

  it("works after a snapshot was restored, for what is before it", () => {
    const runtime = new RecordedRuntime(engine);
    const callee = runtime.deploy("a", CALLEE);
    const before = [1, 2, 3].map((i) => runtime.send("a", runContent(`jstz://${callee}/add?n=${i}`)));
    runtime.core.hold();
    const snapshot = runtime.store.snapshot();
    runtime.core.release();
    const undone = runtime.send("a", runContent(`jstz://${callee}/add?n=9`));
    runtime.core.hold();
    runtime.core.restore(snapshot, 0);
    runtime.core.release();
    runtime.readNonces();
    const after = runtime.send("a", runContent(`jstz://${callee}/add?n=4`));
    for (const hash of [...before, after]) expectSame(runtime, hash);
    expect(runtime.store.journal.find(undone)).toBeUndefined();
    expect(runtime.store.journal.gapOf(undone, false)).toBe("undone");
  });

  it("says why it is impossible", () => {
    const job = { kind: "operation", content: { _type: "OracleResponse" } } as never;
    expect(obstacleOf({ job, circumstances: undefined, isLost: false })).toMatch(/carries an answer/);
    const deposit = { kind: "deposit" } as never;
    expect(obstacleOf({ job: deposit, circumstances: undefined, isLost: true })).toMatch(/engine ended/);
    const met = {
      nonceTaken: true,
      outboxFull: false,
      times: [],
      roomless: [],
      waits: [],
      answers: undefined,
    };
    expect(obstacleOf({ job: deposit, circumstances: met, isLost: false })).toMatch(/too large/);
    expect(obstacleOf({ job: deposit, circumstances: undefined, isLost: false })).toBeUndefined();
  });
});
