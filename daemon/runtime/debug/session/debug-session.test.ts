import { beforeAll, describe, expect, it } from "vitest";
import { amount } from "../../../../test/support/long-run.ts";
import type {
  Arrival,
  Motion,
  SessionVariable,
  SourceBreakpoint,
} from "../../../protocol/debug-session-api.ts";
import { builtEngine, testEngine } from "../../engine/test-engine.ts";
import { runContent } from "../../test-node.ts";
import { CALLEE, CALLER, randomOperations } from "../test-operations.ts";
import { RecordedRuntime } from "../test-recorded.ts";
import { type Ask, inSession } from "./test-session.ts";

/** Includes the time to build the engine when it is missing. */
beforeAll(async () => {
  await builtEngine();
}, 60_000);

function* go(ask: Ask, kind: Exclude<Motion["kind"], "goto" | "step" | "restartFrame" | "lastChange">) {
  return yield* ask({ command: "go", motion: { kind } });
}

/** The stack as `name:line state`. */
function* stack(ask: Ask) {
  const { frames } = yield* ask({ command: "stack" });
  return frames.map(({ name, line, state }) => `${name}:${line} ${state}`);
}

/** A scope of a frame as `name: value`. */
function* scope(ask: Ask, frame: number, name: string) {
  const { scopes } = yield* ask({ command: "scopes", frame });
  const found = scopes.find((each) => each.name === name);
  if (found === undefined) return [`no ${name}`];
  const { variables } = yield* ask({ command: "variables", ref: found.ref });
  return variables.map((variable: SessionVariable) => `${variable.name}: ${variable.value}`);
}

const LOOP = `function twice(n) {
  const both = n * 2;
  return both + 0;
}
export default (request) => {
  let sum = 0;
  for (const n of [1, 2, 3]) {
    sum += twice(n);
  }
  Kv.set("sum", sum);
  return new Response(String(sum));
};`;

async function looping() {
  const runtime = new RecordedRuntime(await testEngine());
  const address = runtime.deploy("a", LOOP);
  const hash = runtime.send("a", runContent(`jstz://${address}/`));
  return { runtime, address, source: `jstz://${address}`, hash };
}

describe("a session", () => {
  it("begins at the first line of the handler, after top levels and what they call", async () => {
    const runtime = new RecordedRuntime(await testEngine());
    const address = runtime.deploy(
      "a",
      `const double = (n) => Math.max(n, 0) * 2;
const two = double(1);
export default (request) => {
  const answer = double(two);
  return new Response(String(answer));
};`,
    );
    const hash = runtime.send("a", runContent(`jstz://${address}/`));
    const seen: unknown[] = [];
    await inSession(runtime, hash, function* (ask) {
      yield* go(ask, "start");
      seen.push((yield* ask({ command: "stack" })).frames.map(({ line }) => line));
      expect((yield* go(ask, "handler")).reason).toBe("entry");
      seen.push((yield* ask({ command: "stack" })).frames.map(({ line }) => line));
    });
    expect(seen).toEqual([[2], [4]]);
  });

  it("steps in, over, out and back, and shows locals where it is", async () => {
    const { runtime, hash } = await looping();
    const seen: unknown[] = [];
    const summary = await inSession(runtime, hash, function* (ask) {
      expect((yield* ask({ command: "stack" })).frames).toEqual([]);
      expect((yield* ask({ command: "scopes", frame: 0 })).code).toBe("DEBUG_NOT_PAUSED");
      for (const kind of ["start", "stepIn", "next", "next", "stepIn", "stepIn"] as const)
        yield* go(ask, kind);
      seen.push(yield* stack(ask), yield* scope(ask, 0, "Local"), yield* scope(ask, 1, "Local"));
      yield* go(ask, "stepOut");
      seen.push(yield* stack(ask));
      yield* go(ask, "stepBack");
      seen.push(yield* stack(ask), yield* scope(ask, 0, "Local"));
      const end = yield* go(ask, "continue");
      expect(end.reason).toBe("end");
      expect((yield* ask({ command: "evaluate", expression: "1" })).code).toBe("DEBUG_NOT_PAUSED");
      const last = yield* go(ask, "stepBack");
      seen.push(last.reason, yield* stack(ask));
      expect((yield* go(ask, "reverseContinue")).reason).toBe("entry");
    });
    expect(summary).toMatchObject({ hash, isWhole: true, failure: null });
    const locals = [expect.stringMatching(/^request: Request \{url: "jstz:/), "sum: 2", "n: 2"];
    expect(seen).toEqual([
      ["twice:3 running", "default:8 calls"],
      ["n: 2", "both: 4"],
      locals,
      ["default:8 running"],
      ["default:8 running"],
      locals,
      "step",
      ["default:11 running"],
    ]);
  });

  it("stops at breakpoints, both ways, with conditions, hits and log messages", async () => {
    const { runtime, source, hash } = await looping();
    await inSession(runtime, hash, function* (ask) {
      const set = function* (breakpoint: object) {
        const breakpoints = [{ line: 8, ...breakpoint }];
        return (yield* ask({ command: "breakpoints", source, breakpoints })).breakpoints;
      };
      const local = function* (name: string) {
        return (yield* ask({ command: "evaluate", expression: name, frame: 0 })).value;
      };
      expect(yield* set({})).toMatchObject([{ verified: true, line: 8 }]);
      const stops: unknown[] = [];
      for (let i = 0; i < 4; i++) {
        const { reason } = yield* go(ask, "continue");
        stops.push(reason === "end" ? reason : `${reason} ${yield* local("n")}`);
      }
      expect(stops).toEqual(["breakpoint 1", "breakpoint 2", "breakpoint 3", "end"]);
      expect((yield* go(ask, "reverseContinue")).reason).toBe("breakpoint");
      expect(yield* local("n + sum")).toBe("9");

      yield* set({ condition: "n === 2" });
      yield* go(ask, "start");
      expect((yield* go(ask, "continue")).reason).toBe("breakpoint");
      expect(yield* local("[n, sum]")).toBe("(2) [2, 2]");
      expect((yield* go(ask, "continue")).reason).toBe("end");
      expect((yield* go(ask, "reverseContinue")).reason).toBe("breakpoint");
      expect(yield* local("n")).toBe("2");

      yield* set({ condition: "n >= 2", hitCondition: "2" });
      yield* go(ask, "start");
      yield* go(ask, "continue");
      expect(yield* local("n")).toBe("3");
      yield* set({ hitCondition: "%2" });
      yield* go(ask, "reverseContinue");
      expect(yield* local("n")).toBe("2");

      yield* set({ logMessage: "n is {n}, {nope}" });
      yield* go(ask, "start");
      const end: Arrival = yield* go(ask, "continue");
      expect(end.reason).toBe("end");
      // The first line that runs is this one.
      expect(end.output.map(({ text }) => text.split(", ")[0])).toEqual(["n is 2", "n is 3"]);
      expect(end.output[0]!.text).toContain("nope is not defined");
      // Going back prints nothing.
      expect(yield* go(ask, "reverseContinue")).toMatchObject({ reason: "entry", output: [] });

      yield* set({ condition: "nope" });
      const failed: Arrival = yield* go(ask, "continue");
      expect(failed.reason).toBe("end");
      expect(failed.output).toHaveLength(1);

      expect(yield* set({ line: 4 })).toMatchObject([
        { verified: true, line: 7, message: expect.any(String) },
      ]);
      expect(yield* set({ hitCondition: "often" })).toMatchObject([{ verified: false }]);
      expect(yield* set({ line: 40 })).toMatchObject([{ verified: false }]);
      const elsewhere = yield* ask({
        command: "breakpoints",
        source: "/no/file.ts",
        breakpoints: [{ line: 1 }],
      });
      expect(elsewhere.breakpoints).toMatchObject([{ verified: false }]);
    });
  });

  it("says little, however much a log message would say, and however many there are", async () => {
    const { runtime, source, hash } = await looping();
    await inSession(runtime, hash, function* (ask) {
      const outputWith = function* (breakpoints: object[]) {
        yield* ask({ command: "breakpoints", source, breakpoints: breakpoints as SourceBreakpoint[] });
        yield* go(ask, "start");
        return (yield* go(ask, "continue")).output.map(({ text }) => text);
      };
      const [long] = yield* outputWith([{ line: 8, logMessage: "n is {'x'.repeat(1e6)} {'y'.repeat(1e6)}" }]);
      expect(long).toMatch(/^n is x{9994}…$/);
      const many = Array.from({ length: 400 }, (_, i) => ({ line: 8, logMessage: "z".repeat(9_000) + i }));
      const lines = yield* outputWith(many);
      expect(lines.at(-1)).toContain("left out");
      expect(lines.join("").length).toBeLessThan(1_010_000);
      // What was said before does not count for other breakpoints.
      expect(yield* outputWith([{ line: 8, logMessage: "n is {n}" }])).toEqual(["n is 2", "n is 3"]);
    });
  });

  it("goes to moments, restarts frames, and tells the places of a line", async () => {
    const { runtime, source, hash } = await looping();
    await inSession(runtime, hash, function* (ask) {
      yield* ask({ command: "breakpoints", source, breakpoints: [{ line: 2 }] });
      yield* go(ask, "continue");
      yield* go(ask, "continue");
      const { targets } = yield* ask({ command: "gotoTargets", source, line: 8 });
      // Two turns have begun.
      const labels = ["time 3 of 3", "time 2 of 3 (back)", "time 1 of 3 (back)"];
      expect(targets.map(({ label }) => label)).toEqual(labels);
      yield* ask({ command: "go", motion: { kind: "goto", moment: targets[0]!.moment } });
      expect(yield* scope(ask, 0, "Local")).toEqual(expect.arrayContaining(["n: 3", "sum: 6"]));
      yield* go(ask, "reverseContinue");
      expect(yield* stack(ask)).toEqual(["twice:2 running", "default:8 calls"]);
      yield* ask({ command: "go", motion: { kind: "restartFrame", frame: 1 } });
      expect(yield* stack(ask)).toEqual(["default:8 running"]);
      const { locations } = yield* ask({ command: "locations", source, line: 1, endLine: 3 });
      expect(locations.map(({ line }) => line)).toEqual([1, 2, 3]);
    });
  });

  it("goes to the nearest time of a line, ahead or behind, and says when the line never ran", async () => {
    const runtime = new RecordedRuntime(await testEngine());
    const address = runtime.deploy(
      "a",
      `function never() {
  Kv.set("never", 1);
}
export default () => {
  let sum = 0;
  for (let i = 0; i < 300; i++) {
    sum += i;
  }
  if (sum < 0) never();
  return new Response(String(sum));
};`,
    );
    const source = `jstz://${address}`;
    const hash = runtime.send("a", runContent(`${source}/`));
    await inSession(runtime, hash, function* (ask) {
      const targets = function* (line: number) {
        const found = yield* ask({ command: "gotoTargets", source, line });
        return found.code ?? found.targets;
      };
      yield* go(ask, "handler");
      const ahead = yield* targets(7);
      expect(ahead).toHaveLength(100);
      expect(ahead[0]).toMatchObject({ label: "time 1 of 300", line: 7 });
      yield* ask({ command: "breakpoints", source, breakpoints: [{ line: 7, condition: "i === 200" }] });
      yield* go(ask, "continue");
      const around = (yield* targets(7)) as readonly { moment: number; label: string }[];
      expect([0, 50, 51, 99].map((i) => around[i]!.label)).toEqual([
        "time 202 of 300",
        "time 201 of 300 (here)",
        "time 200 of 300 (back)",
        "time 152 of 300 (back)",
      ]);
      yield* ask({ command: "go", motion: { kind: "goto", moment: around[0]!.moment } });
      expect((yield* ask({ command: "evaluate", expression: "i", frame: 0 })).value).toBe("201");
      yield* ask({ command: "breakpoints", source, breakpoints: [] });
      yield* go(ask, "continue");
      const behind = (yield* targets(7)) as readonly { moment: number; label: string }[];
      expect(behind[0]!.label).toBe("time 300 of 300 (back)");
      yield* ask({ command: "go", motion: { kind: "goto", moment: behind[0]!.moment } });
      expect((yield* ask({ command: "evaluate", expression: "i", frame: 0 })).value).toBe("299");
      expect(yield* targets(2)).toBe("LINE_NOT_RUN");
      expect(yield* targets(99)).toBe("LINE_NOT_RUN");
      expect((yield* ask({ command: "gotoTargets", source: "/other.ts", line: 1 })).code).toBe(
        "LINE_NOT_RUN",
      );
    });
  });

  it("goes to each step by its number, and knows the number of each stop", async () => {
    const { runtime, hash } = await looping();
    const numbers: number[] = [];
    const stacks: string[][] = [];
    let last = 0;
    const { steps } = await inSession(runtime, hash, function* (ask) {
      for (let at = yield* go(ask, "start"); at.reason !== "end"; at = yield* go(ask, "stepIn")) {
        numbers.push(at.step);
        stacks.push(yield* stack(ask));
      }
      last = stacks.length;
      for (const step of [last, 1, 3, last - 2]) {
        expect(yield* ask({ command: "go", motion: { kind: "step", step } })).toMatchObject({
          reason: "goto",
          step,
        });
        expect(yield* stack(ask)).toEqual(stacks[step - 1]);
      }
      for (const step of [0, last + 1])
        expect((yield* ask({ command: "go", motion: { kind: "step", step } })).code).toBe("BAD_REQUEST");
      expect((yield* go(ask, "end")).step).toBe(last);
    });
    expect(steps).toBe(last);
    expect(numbers).toEqual(stacks.map((_, i) => i + 1));
  });

  it("stops at the statement of a column in a line with several", async () => {
    const runtime = new RecordedRuntime(await testEngine());
    const address = runtime.deploy(
      "a",
      `let n = 0;
const a = () => { n += 1; }, b = (x) => { n += x; };
export default (request) => {
  a(); b(n + 9); const s = n; if (s > 1) { a(); } else b(1);
  return new Response(JSON.stringify({ n, s: request.url }));
};`,
    );
    const source = `jstz://${address}`;
    const hash = runtime.send("a", runContent(`${source}/`));
    await inSession(runtime, hash, function* (ask) {
      const { locations } = yield* ask({ command: "locations", source, line: 4 });
      expect(locations.map(({ column }) => column)).toEqual([3, 8, 28, 35, 44, 56]);
      expect((yield* ask({ command: "locations", source, line: 5 })).locations).toHaveLength(1);
      const at = function* (column: number, more = {}) {
        const breakpoints = [{ line: 4, column, ...more }];
        return (yield* ask({ command: "breakpoints", source, breakpoints })).breakpoints[0];
      };
      const n = function* () {
        return (yield* ask({ command: "evaluate", expression: "n", frame: 0 })).value;
      };
      expect(yield* at(8)).toMatchObject({ verified: true, line: 4, column: 8 });
      expect((yield* go(ask, "continue")).reason).toBe("breakpoint");
      expect((yield* ask({ command: "stack" })).frames[0]).toMatchObject({ line: 4, column: 8 });
      expect(yield* n()).toBe("1");
      // Steps go by statement too, and back.
      yield* go(ask, "next");
      expect(yield* n()).toBe("11");
      yield* go(ask, "stepBack");
      expect(yield* n()).toBe("1");
      // Into the middle of a statement: the next one; after the last one: the last.
      expect(yield* at(12)).toMatchObject({ column: 28 });
      expect(yield* at(500)).toMatchObject({ column: 56 });
      expect((yield* go(ask, "continue")).reason).toBe("end");
      expect(yield* at(44, { condition: "s === 11" })).toMatchObject({ column: 44 });
      expect((yield* go(ask, "reverseContinue")).reason).toBe("breakpoint");
      expect(yield* n()).toBe("11");
      yield* go(ask, "next");
      expect(yield* n()).toBe("12");
      // Without a column it is where the line begins.
      yield* ask({ command: "breakpoints", source, breakpoints: [{ line: 4 }] });
      yield* go(ask, "reverseContinue");
      expect(yield* n()).toBe("0");
      expect((yield* go(ask, "continue")).reason).toBe("end");
    });
  });

  it("shows the callers that wait for a called function, with their variables", async () => {
    const runtime = new RecordedRuntime(await testEngine());
    runtime.deposit("a", 1_000_000n);
    const callee = runtime.deploy(
      "b",
      `export default async (request) => {
  const asked = new URL(request.url).pathname;
  Kv.set("asked", asked);
  return new Response(asked);
};`,
    );
    const caller = runtime.deploy(
      "a",
      `const base = "top";
async function ask(path) {
  const local = path + "!";
  const response = await fetch("jstz://${callee}" + path);
  return (await response.text()) + local;
}
export default async (request) => {
  const mine = [1, 2];
  const text = await ask("/deep");
  return new Response(text + base + mine);
};`,
      1_000n,
    );
    const hash = runtime.send("a", runContent(`jstz://${caller}/`));
    await inSession(runtime, hash, function* (ask) {
      yield* ask({ command: "breakpoints", source: `jstz://${callee}`, breakpoints: [{ line: 3 }] });
      yield* go(ask, "continue");
      expect(yield* stack(ask)).toEqual(["default:3 running", "ask:4 awaits", "default:9 awaits"]);
      expect(yield* scope(ask, 1, "Local")).toEqual(
        expect.arrayContaining(['path: "/deep"', 'local: "/deep!"']),
      );
      expect(yield* scope(ask, 2, "Local")).toEqual(expect.arrayContaining(["mine: (2) [1, 2]"]));
      expect(yield* scope(ask, 2, "Closure")).toEqual(expect.arrayContaining(['base: "top"']));
      expect(
        (yield* ask({ command: "evaluate", expression: "mine.length + local.length", frame: 2 })).code,
      ).toBe("EXPRESSION_FAILED");
      expect((yield* ask({ command: "evaluate", expression: "mine.length", frame: 2 })).value).toBe("2");
      expect((yield* ask({ command: "evaluate", expression: 'Kv.get("asked")', frame: 0 })).value).toBe(
        "null",
      );
      yield* go(ask, "next");
      expect(yield* scope(ask, 0, "Kv")).toEqual(['asked: "/deep" (new)']);
      expect(yield* scope(ask, 1, "Kv")).toEqual([]);
      expect((yield* scope(ask, 0, "Ledger")).length).toBeGreaterThanOrEqual(2);
      expect((yield* scope(ask, 0, "Gas"))[0]).toMatch(/^used by the operation: \d{4,}$/);
      yield* go(ask, "stepOut");
      expect((yield* stack(ask))[0]).toBe("ask:5 running");
      // Breakpoints of what is stepped over count, both ways.
      yield* go(ask, "stepBack");
      expect((yield* stack(ask))[0]).toBe("default:3 running");
      yield* ask({ command: "breakpoints", source: `jstz://${callee}`, breakpoints: [] });
      yield* go(ask, "stepOut");
      yield* go(ask, "stepBack");
      expect((yield* stack(ask))[0]).toBe("ask:4 running");
    });
  });

  it("stops at what is thrown, and tells what no call caught", async () => {
    const runtime = new RecordedRuntime(await testEngine());
    const address = runtime.deploy(
      "a",
      `function check(n) {
  if (n < 0) throw new RangeError("negative: " + n);
  return n;
}
export default async (request) => {
  for (const n of [-1, -2]) {
    try { check(n); } catch { }
  }
  try {
    check(-3);
  } catch (error) {
    Kv.set("failed", true);
    throw error;
  }
};`,
    );
    const hash = runtime.send("a", runContent(`jstz://${address}/`));
    const summary = await inSession(runtime, hash, function* (ask) {
      yield* ask({ command: "exceptions", filters: ["uncaught"] });
      expect(yield* go(ask, "continue")).toMatchObject({
        reason: "exception",
        description: "RangeError: negative: -3",
      });
      expect(yield* stack(ask)).toEqual(["check:2 running", "default:10 calls"]);
      expect(yield* scope(ask, 0, "Local")).toEqual(expect.arrayContaining(["n: -3"]));
      expect(yield* ask({ command: "exception" })).toMatchObject({ isUncaught: true });
      yield* ask({ command: "exceptions", filters: ["all"] });
      yield* go(ask, "reverseContinue");
      expect(yield* scope(ask, 0, "Local")).toEqual(expect.arrayContaining(["n: -2"]));
      expect(yield* ask({ command: "exception" })).toMatchObject({ isUncaught: false });
      yield* go(ask, "error");
      expect(yield* scope(ask, 0, "Local")).toEqual(expect.arrayContaining(["n: -3"]));
    });
    expect(summary.failure).toContain("negative: -3");
  });

  it("stops when a key or a balance changes, both ways", async () => {
    const runtime = new RecordedRuntime(await testEngine());
    runtime.deposit("a", 1_000_000n);
    const callee = runtime.deploy("a", CALLEE);
    const caller = runtime.deploy("a", CALLER, 1_000n);
    runtime.send("a", runContent(`jstz://${callee}/add?n=1`));
    const hash = runtime.send("a", runContent(`jstz://${caller}/add?n=4&to=${callee}&tez=5&pay=7`));
    await inSession(runtime, hash, function* (ask) {
      const watch = function* (...ids: string[]) {
        yield* ask({ command: "dataBreakpoints", breakpoints: ids.map((dataId) => ({ dataId })) });
      };
      yield* watch(`kv:${callee}:n`);
      expect(yield* go(ask, "continue")).toMatchObject({
        reason: "data breakpoint",
        description: `kv:${callee}:n: 1 → 5`,
      });
      expect(yield* stack(ask)).toMatchObject(
        [/^\/add:3|/, /default/, /default/].map((each) => expect.stringMatching(each)),
      );
      expect(yield* scope(ask, 0, "Kv")).toEqual(["n: 1"]);
      expect((yield* go(ask, "continue")).reason).toBe("end");
      yield* watch(`balance:${callee}`);
      const changes: unknown[] = [];
      for (let i = 0; i < 3; i++) changes.push((yield* go(ask, "reverseContinue")).description);
      expect(changes).toEqual([`balance:${callee}: 5 → 12`, `balance:${callee}: 0 → 5`, undefined]);
      yield* ask({ command: "go", motion: { kind: "lastChange", dataId: `kv:${caller}:after` } });
      expect((yield* stack(ask))[0]).toBe("default:15 calls");
    });
  });

  it("shows values inside values, getters on demand, and results of expressions", async () => {
    const runtime = new RecordedRuntime(await testEngine());
    const address = runtime.deploy(
      "a",
      `export default (request) => {
  const data = { list: [{ deep: new Map([["k", { n: 1 }]]) }], get boom() { throw new TypeError("no"); } };
  const big = Array.from({ length: 5000 }, (_, i) => i);
  return new Response(String(data.list.length + big.length));
};`,
    );
    const hash = runtime.send("a", runContent(`jstz://${address}/x`));
    await inSession(runtime, hash, function* (ask) {
      yield* ask({ command: "breakpoints", source: `jstz://${address}`, breakpoints: [{ line: 4 }] });
      yield* go(ask, "continue");
      const { scopes } = yield* ask({ command: "scopes", frame: 0 });
      const children = function* (ref: number, more = {}) {
        return (yield* ask({ command: "variables", ref, ...more })).variables;
      };
      const open = function* (from: readonly SessionVariable[], name: string) {
        return yield* children(from.find((each) => each.name === name)!.ref);
      };
      const locals = yield* children(scopes[0]!.ref);
      const data = yield* open(locals, "data");
      const first = yield* open(yield* open(data, "list"), "0");
      const entry = yield* open(yield* open(first, "deep"), "0");
      expect(first[0]!.evaluateName).toBe("data.list[0].deep");
      expect(entry.map(({ name, value }) => `${name} ${value}`)).toEqual(['key "k"', "value {n: 1}"]);
      const boom = data.find(({ name }) => name === "boom")!;
      expect(boom).toMatchObject({ value: "(getter)", isLazy: true });
      expect((yield* ask({ command: "variables", ref: boom.ref })).code).toBe("EXPRESSION_FAILED");
      const big = locals.find(({ name }) => name === "big")!;
      expect(big.indexed).toBe(5000);
      const page = yield* children(big.ref, { filter: "indexed", start: 4998, count: 10 });
      expect(page.map(({ name }) => name)).toEqual(["4998", "4999"]);

      const result = yield* ask({ command: "evaluate", expression: "({ a: [request.url, { b: data }] })" });
      expect(result.value).toBe("{a: Array(2)}");
      const a = yield* open(yield* children(result.ref), "a");
      const inner = yield* open(a, "1");
      expect(inner.map(({ name, value }) => `${name}: ${value}`)).toEqual([
        "b: {list: Array(1), boom: (getter)}",
      ]);
      const request = yield* open(locals, "request");
      const url = request.find(({ name }) => name === "url")!;
      expect(yield* children(url.ref)).toMatchObject([{ value: `"jstz://${address}/x"` }]);
      yield* go(ask, "stepIn");
      expect((yield* ask({ command: "variables", ref: url.ref })).code).toMatch(
        /DEBUG_NOT_PAUSED|BAD_REQUEST/,
      );
    });
  });
});

it("a session of random operations comes to each line that was recorded, forwards and backwards", async () => {
  const runtime = new RecordedRuntime(await testEngine());
  const hashes = await randomOperations(runtime, 40, 9);
  let stops = 0;
  for (const hash of hashes.slice(0, amount(15, 30)))
    await inSession(runtime, hash, function* (ask) {
      const here = function* ({ reason, moment }: Arrival) {
        return reason === "end" ? "end" : `${moment} ${(yield* stack(ask)).join(", ")}`;
      };
      const places: string[] = [];
      let arrival: Arrival = yield* go(ask, "start");
      for (let i = 0; i < 25; i++) {
        places.push(yield* here(arrival));
        if (arrival.reason === "end") break;
        arrival = yield* go(ask, "stepIn");
      }
      if (places.at(-1) !== "end") yield* go(ask, "stepInBack");
      for (const place of places.slice(0, -1).reverse()) {
        expect(yield* here(yield* go(ask, "stepInBack"))).toBe(place);
        stops++;
      }
    });
  expect(stops).toBeGreaterThan(amount(50, 100));
}, 120_000);
