// The debug adapter of the built command line, driven by a plain client of the protocol against a running sandbox.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type BuiltCli, startedSandbox } from "./support/built-cli.ts";
import { DapClient } from "./support/dap-client.ts";
import { until } from "./support/processes.ts";

const BANK = `interface Account {
  name: string;
  total: number;
}

const limit: number = 100;

function add(account: Account, amount: number): Account {
  if (amount > limit) throw new RangeError("too much: " + amount);
  account.total += amount;
  return account;
}

export default async (request: Request): Promise<Response> => {
  const url = new URL(request.url);
  const account = Kv.get<Account>("account") ?? { name: "shared", total: 0 };
  for (const part of url.searchParams.getAll("add")) {
    add(account, Number(part));
  }
  Kv.set("account", account);
  return Response.json(account);
};
`;

const frontOf = (bank: string): string => `const shown = new Map<string, number>();

async function pay(amount: string): Promise<number> {
  const before = shown.size;
  const response = await fetch("jstz://${bank}/pay?add=" + amount + "&add=1");
  const { total } = (await response.json()) as { total: number };
  shown.set(amount, total);
  return total + before;
}

export default async (request: Request): Promise<Response> => {
  const amount: string = new URL(request.url).searchParams.get("amount") ?? "1";
  const big = "x".repeat(10_000_000);
  const odd = {
    get boom(): never {
      throw new TypeError("not now");
    },
    trap: new Proxy({}, { get: () => { throw new Error("trap"); } }),
  };
  const total = await pay(amount);
  return Response.json({ total, length: big.length, odd: typeof odd });
};
`;

interface Frame {
  readonly id: number;
  readonly name: string;
  readonly line: number;
  readonly source?: { readonly path?: string; readonly sourceReference?: number };
  readonly presentationHint?: string;
}
interface Variable {
  readonly name: string;
  readonly value: string;
  readonly variablesReference: number;
  readonly presentationHint: { readonly lazy?: boolean };
}
interface Placed {
  readonly breakpoints: readonly {
    readonly verified: boolean;
    readonly line?: number;
    readonly message?: string;
  }[];
}

let cli: BuiltCli;
let bank: string;
let files: { readonly bank: string; readonly front: string };
let paid: string;
let dap: DapClient;

async function json<T>(...args: string[]): Promise<T> {
  return JSON.parse((await cli.functez(["--json", ...args])).stdout) as T;
}

const call = async (url: string): Promise<string> =>
  (await json<{ operation: string }>("run", url)).operation;

async function deploy(file: string, name: string): Promise<string> {
  return (await json<{ address: string }>("deploy", file, "--name", name)).address;
}

beforeAll(async () => {
  ({ cli } = await startedSandbox());
  await cli.functez(["account", "create", "alice"]);
  const folder = join(cli.configHome, "functions");
  mkdirSync(folder);
  files = { bank: join(folder, "bank.ts"), front: join(folder, "front.ts") };
  writeFileSync(files.bank, BANK);
  bank = await deploy(files.bank, "bank");
  writeFileSync(files.front, frontOf(bank));
  await deploy(files.front, "front");
  paid = await call("front/?amount=5");
});
afterAll(() => cli.dispose());
afterEach(async () => {
  dap.closeInput();
  await dap.ended;
});

async function stack(): Promise<readonly Frame[]> {
  const { stackFrames } = await dap.ask<{ stackFrames: Frame[] }>("stackTrace", { threadId: 1 });
  return stackFrames;
}

const lines = async (): Promise<string[]> =>
  (await stack())
    .filter(({ presentationHint }) => presentationHint !== "label")
    .map(({ name, line }) => `${name}:${line}`);

async function scope(frameId: number, name: string): Promise<readonly Variable[]> {
  const { scopes } = await dap.ask<{ scopes: { name: string; variablesReference: number }[] }>("scopes", {
    frameId,
  });
  return children(scopes.find((each) => each.name === name)!.variablesReference);
}

async function children(variablesReference: number, more = {}): Promise<readonly Variable[]> {
  return (await dap.ask<{ variables: Variable[] }>("variables", { variablesReference, ...more })).variables;
}

const variableLines = (variables: readonly Variable[]): string[] =>
  variables.map(({ name, value }) => `${name}: ${value}`);

const value = async (expression: string, frameId = 1): Promise<string> =>
  (await dap.ask<{ result: string }>("evaluate", { expression, frameId, context: "watch" })).result;

const breakpointsIn = (path: string, ...breakpoints: object[]): Promise<Placed> =>
  dap.ask<Placed>("setBreakpoints", { source: { path }, breakpoints });

describe("the debug adapter", () => {
  it("stops at a breakpoint in TypeScript, shows waiting callers with their variables, and steps back", async () => {
    dap = new DapClient(cli);
    await dap.launch({ operation: paid });
    expect((await breakpointsIn(files.bank, { line: 10 })).breakpoints).toMatchObject([
      { verified: true, line: 10 },
    ]);
    expect(await dap.move("configurationDone")).toMatchObject({ reason: "breakpoint" });
    expect(await lines()).toEqual(
      ["add:10", "default:18", "pay (awaits):5", "default (awaits):20"].map(
        (line) => expect.stringContaining(line.split(":")[0]!) as string,
      ),
    );
    const frames = await stack();
    expect(frames[0]).toMatchObject({ line: 10, source: { path: files.bank } });
    const pay = frames.find(({ name }) => name.startsWith("pay"))!;
    expect(pay).toMatchObject({ line: 5, source: { path: files.front } });
    expect(
      frames.some(
        ({ presentationHint, name }) => presentationHint === "label" && name === "front calls bank",
      ),
    ).toBe(true);
    expect(variableLines(await scope(1, "Local"))).toEqual([
      'account: {name: "shared", total: 0}',
      "amount: 5",
    ]);
    expect(variableLines(await scope(pay.id, "Local"))).toEqual(
      expect.arrayContaining(['amount: "5"', "before: 0"]),
    );
    expect(variableLines(await scope(1, "Closure"))).toContain("limit: 100");

    expect(await dap.move("next")).toMatchObject({ reason: "step" });
    expect((await lines())[0]).toBe("add:11");
    expect(await value("account.total")).toBe("5");
    expect(await dap.move("stepBack")).toMatchObject({ reason: "breakpoint" });
    expect(await value("account.total")).toBe("0");
    await dap.move("stepOut");
    expect((await lines())[0]).toMatch(/^default:1[78]$/);
    expect(await dap.move("continue")).toMatchObject({ reason: "breakpoint" });
    expect(await value("amount + account.total")).toBe("6");
    await dap.move("reverseContinue");
    expect(await value("amount")).toBe("5");
    await dap.move("stepOut");
    await dap.move("next");
    expect(await dap.move("restartFrame", { frameId: 2 })).toMatchObject({ reason: "goto" });
    expect((await lines())[0]).toBe("default:15");

    const { sources } = await dap.ask<{ sources: { path: string }[] }>("loadedSources");
    expect(sources.map(({ path }) => path)).toEqual(expect.arrayContaining([files.bank, files.front]));
    await breakpointsIn(files.bank);
    const ended = dap.event("terminated");
    await dap.ask("continue", { threadId: 1 });
    await ended;
    expect(dap.output()).toMatch(/The operation has ended, with \d+ gas/);
    await dap.ask("disconnect");
    expect(await dap.ended).toBe(0);
  });

  it("refuses a second launch or attach, and goes on with the first", async () => {
    dap = new DapClient(cli);
    await dap.launch({ operation: paid, stopOnHandler: true });
    expect(await dap.refusal("launch", { operation: paid })).toBe("BAD_REQUEST");
    expect(await dap.refusal("attach")).toBe("BAD_REQUEST");
    expect(await dap.move("configurationDone")).toMatchObject({ reason: "entry" });
    expect((await lines())[0]).toMatch(/^default:12$/);
    await dap.ask("disconnect");
    expect(await dap.ended).toBe(0);

    dap = new DapClient(cli);
    await dap.ask("initialize", { adapterID: "functez" });
    expect(await dap.refusal("launch", { operation: "0".repeat(64) })).toBe("REPLAY_IMPOSSIBLE");
    await dap.ask("attach"); // nothing had begun
    await dap.event("initialized");
    expect(await dap.refusal("attach")).toBe("BAD_REQUEST");
    expect(await dap.refusal("launch", { operation: paid })).toBe("BAD_REQUEST");
  });

  it("honours conditions, hit counts and log messages, and moves breakpoints to real places", async () => {
    dap = new DapClient(cli);
    await dap.launch({ operation: paid });
    await breakpointsIn(files.bank, { line: 10, condition: "amount === 1" });
    await dap.move("configurationDone");
    expect(await value("amount")).toBe("1");
    await breakpointsIn(
      files.bank,
      { line: 10, hitCondition: "1" },
      { line: 9, logMessage: "adds {amount}" },
    );
    expect(await dap.move("reverseContinue")).toMatchObject({ reason: "breakpoint" });
    expect(await value("amount")).toBe("5");
    const { breakpoints } = await breakpointsIn(
      files.bank,
      { line: 9, logMessage: "adds {amount}" },
      { line: 2 },
      { line: 99 },
    );
    expect(breakpoints).toMatchObject([
      { verified: true, line: 9 },
      { verified: true, message: expect.stringContaining("Line 2") as string },
      { verified: false },
    ]);
    const ended = dap.event("terminated");
    await breakpointsIn(files.bank, { line: 9, logMessage: "adds {amount}" });
    await dap.ask("continue", { threadId: 1 });
    await ended;
    expect(dap.output()).toContain("adds 1\n");
    await dap.ask("disconnect");
  });

  it("stops at what no call catches, and at changes of keys", async () => {
    const failed = await call("bank/?add=1&add=500");
    dap = new DapClient(cli);
    await dap.launch({ operation: failed });
    await dap.ask("setExceptionBreakpoints", { filters: ["uncaught"] });
    expect(await dap.move("configurationDone")).toMatchObject({
      reason: "exception",
      text: "RangeError: too much: 500",
    });
    expect((await lines())[0]).toBe("add:9");
    expect(await dap.ask("exceptionInfo", { threadId: 1 })).toMatchObject({
      exceptionId: "RangeError",
      breakMode: "unhandled",
    });
    await dap.ask("disconnect");
    await dap.ended;

    dap = new DapClient(cli);
    await dap.launch({ operation: paid, stopOnEntry: true });
    expect(await dap.move("configurationDone")).toMatchObject({ reason: "entry" });
    await breakpointsIn(files.bank, { line: 20 });
    await dap.move("continue");
    const kv = await dap.ask<{ scopes: { name: string; variablesReference: number }[] }>("scopes", {
      frameId: 1,
    });
    await dap.move("next");
    const after = await dap.ask<{ scopes: { name: string; variablesReference: number }[] }>("scopes", {
      frameId: 1,
    });
    expect(kv.scopes.map(({ name }) => name)).toEqual(["Local", "Closure", "Kv", "Ledger", "Gas"]);
    const ref = after.scopes[2]!.variablesReference;
    expect(variableLines(await children(ref))).toEqual(['account: {"name":"shared","total":6} (new)']);
    const { dataId } = await dap.ask<{ dataId: string }>("dataBreakpointInfo", {
      variablesReference: ref,
      name: "account",
    });
    expect(dataId).toBe(`kv:${bank}:account`);
    await breakpointsIn(files.bank);
    await dap.ask("setDataBreakpoints", { breakpoints: [{ dataId }] });
    expect(await dap.move("reverseContinue")).toMatchObject({ reason: "data breakpoint" });
    expect((await lines())[0]).toBe("default:20");
    const { entries } = await dap.ask<{ entries: { hash: string }[] }>("functez/history", {
      address: bank,
      key: "account",
    });
    expect(entries.map(({ hash }) => hash)).toContain(paid);
    await dap.ask("disconnect");
    await dap.ended;

    dap = new DapClient(cli);
    await dap.launch({ operation: paid, lastChange: { address: bank, key: "account" } });
    expect(await dap.move("configurationDone")).toMatchObject({ reason: "data breakpoint" });
    expect((await lines())[0]).toBe("default:20");
    await dap.ask("disconnect");
  });

  it("goes to places and moments, and tells where breakpoints may be", async () => {
    dap = new DapClient(cli, [paid]);
    await dap.launch({ stopOnEntry: true });
    await dap.move("configurationDone");
    const source = { path: files.bank };
    const { breakpoints } = await dap.ask<Placed>("breakpointLocations", { source, line: 8, endLine: 12 });
    expect(breakpoints.map(({ line }) => line)).toEqual(expect.arrayContaining([9, 10]));
    const { targets } = await dap.ask<{ targets: { id: number; label: string }[] }>("gotoTargets", {
      source,
      line: 10,
    });
    expect(targets.map(({ label }) => label)).toEqual(["time 1 of 2", "time 2 of 2"]);
    expect(await dap.refusal("gotoTargets", { source, line: 99 })).toBe("LINE_NOT_RUN");
    expect(await dap.move("goto", { targetId: targets[1]!.id })).toMatchObject({
      reason: "goto",
      moment: targets[1]!.id,
    });
    expect(await value("amount")).toBe("1");
    await dap.move("functez/goTo", { moment: targets[0]!.id });
    expect(await value("amount")).toBe("5");
    // To the cursor: ahead with a breakpoint for the time being, behind through the targets of the line.
    await breakpointsIn(files.bank, { line: 20 });
    await dap.move("continue");
    await breakpointsIn(files.bank);
    expect((await lines())[0]).toBe("default:20");
    const behind = await dap.ask<{ targets: { id: number; label: string }[] }>("gotoTargets", {
      source,
      line: 10,
    });
    expect(behind.targets.map(({ label }) => label)).toEqual(["time 2 of 2 (back)", "time 1 of 2 (back)"]);
    const { step, steps } = await dap.move("goto", { targetId: behind.targets[1]!.id });
    expect(await value("amount")).toBe("5");
    expect(await dap.move("functez/goToStep", { step: Number(step) + 1 })).toMatchObject({
      reason: "goto",
      step: Number(step) + 1,
    });
    expect((await lines())[0]).toBe("add:11");
    for (const wanted of [0, Number(steps) + 1, 1.5, "2"])
      expect(await dap.refusal("functez/goToStep", { step: wanted })).toBe("BAD_REQUEST");
    await dap.move("functez/stepInBack");
    await dap.move("functez/stepInBack");
    expect((await lines())[0]).toBe("add:9");
    expect(await dap.ask("functez/operation")).toMatchObject({ hash: paid, isWhole: true });
    await dap.ask("pause", { threadId: 1 });
    expect(await dap.ask("threads")).toMatchObject({ threads: [{ id: 1 }] });
    await dap.ask("terminate");
    await dap.event("terminated");
    await dap.ask("disconnect");
  });

  it("stops at the statement of a column, and says where statements begin in a line", async () => {
    const file = join(cli.configHome, "functions", "short.ts");
    writeFileSync(
      file,
      `let n: number = 0;
const a = (): void => { n++; };
const b = (by: number): void => { n += by; };
export default (): Response => {
  a(); b(10); a();
  return new Response(String(n));
};
`,
    );
    await deploy(file, "short");
    const operation = await call("short/");
    dap = new DapClient(cli);
    await dap.launch({ operation });
    const places = await dap.ask<{ breakpoints: unknown[] }>("breakpointLocations", {
      source: { path: file },
      line: 5,
    });
    expect(places.breakpoints).toEqual([3, 8, 15].map((column) => ({ line: 5, column })));
    expect((await breakpointsIn(file, { line: 5, column: 5 })).breakpoints).toMatchObject([
      { verified: true, line: 5, column: 8 },
    ]);
    expect(await dap.move("configurationDone")).toMatchObject({ reason: "breakpoint" });
    expect((await stack())[0]).toMatchObject({ line: 5, column: 8 });
    expect(await value("n")).toBe("1");
    await breakpointsIn(file, { line: 5, column: 15 });
    await dap.move("continue");
    expect(await value("n")).toBe("11");
    await dap.ask("disconnect");
  });

  it("looks without effects at anything: large values, getters, proxies, endless expressions", async () => {
    dap = new DapClient(cli);
    await dap.launch({ operation: paid });
    await breakpointsIn(files.front, { line: 20 });
    await dap.move("configurationDone");
    const locals = await scope(1, "Local");
    const big = locals.find(({ name }) => name === "big")!;
    expect(big.value.length).toBeLessThan(1_100);
    expect(big.value).toContain("(10000000 characters)");
    const odd = await children(locals.find(({ name }) => name === "odd")!.variablesReference);
    expect(variableLines(odd)).toEqual(["boom: (getter)", "trap: Proxy of {…}"]);
    expect(odd[0]!.presentationHint.lazy).toBe(true);
    expect(await dap.refusal("variables", { variablesReference: odd[0]!.variablesReference })).toBe(
      "EXPRESSION_FAILED",
    );
    const refusal = (expression: string): Promise<string> =>
      dap.refusal("evaluate", { expression, frameId: 1, context: "repl" });
    expect(await refusal("odd.trap.x")).toBe("EXPRESSION_FAILED");
    expect(await refusal("nope")).toBe("EXPRESSION_FAILED");
    expect(await refusal('Kv.set("x", 1)')).toBe("EXPRESSION_EFFECT");
    expect(await refusal('fetch("https://example.com")')).toBe("EXPRESSION_EFFECT");
    expect(await refusal("for (;;);")).toBe("EXPRESSION_ENDLESS");
    expect(await value("request.url")).toMatch(/^"jstz:/);
    expect(await value("big.length")).toBe("10000000");
    const list = await dap.ask<{ variablesReference: number; indexedVariables: number }>("evaluate", {
      expression: "Array.from({ length: 100_000 }, (_, i) => i)",
      frameId: 1,
    });
    expect(list.indexedVariables).toBe(100_000);
    const page = await children(list.variablesReference, { filter: "indexed", start: 99_999, count: 5 });
    expect(variableLines(page)).toEqual(["99999: 99999"]);
    expect(await dap.refusal("scopes", { frameId: 77 })).toBe("BAD_REQUEST");
    expect(await dap.refusal("variables", { variablesReference: 99_999_999 })).toBe("BAD_REQUEST");
    expect(await dap.refusal("setVariable")).toBe("BAD_REQUEST");
    await dap.ask("disconnect");
  });

  it("shows functions without a map as they were deployed, and says what cannot be debugged", async () => {
    const code = "export default () => {\n  const a = [1].length;\n  return new Response(String(a));\n};\n";
    const { address } = await json<{ address: string }>("deploy", code, "--name", "bare");
    const hash = await call("bare/");
    dap = new DapClient(cli);
    await dap.ask("initialize");
    expect(await dap.refusal("launch", { operation: "0".repeat(64) })).toBe("REPLAY_IMPOSSIBLE");
    expect(await dap.refusal("launch", { operation: "xyz" })).toBe("BAD_OPTION");
    expect(await dap.refusal("stackTrace", { threadId: 1 })).toBe("DEBUG_NOT_PAUSED");
    await dap.ask("launch", { operation: hash });
    await dap.event("initialized");
    const source = { path: `jstz://${address}.js` };
    const placed = await dap.ask<Placed>("setBreakpoints", { source, breakpoints: [{ line: 3 }] });
    expect(placed.breakpoints).toMatchObject([{ verified: true, line: 3 }]);
    expect((await breakpointsIn(files.bank, { line: 10 })).breakpoints).toMatchObject([{ verified: false }]);
    expect(await dap.move("configurationDone")).toMatchObject({ reason: "breakpoint" });
    const [top] = await stack();
    expect(top).toMatchObject({ line: 3, source });
    const { content } = await dap.ask<{ content: string }>("source", { source: top!.source! });
    expect(content).toContain("[1].length");
    await dap.ask("disconnect");
  });

  it("opens calls of others at breakpoints when it is attached, one after another", async () => {
    dap = new DapClient(cli);
    await dap.ask("initialize");
    await dap.ask("attach");
    await dap.event("initialized");
    expect((await breakpointsIn(files.bank, { line: 20 })).breakpoints).toMatchObject([{ verified: false }]);
    await dap.ask("configurationDone");
    const [first, second] = [await call("bank/?add=2"), await call("bank/?add=3")];
    expect((await dap.event("stopped")).body).toMatchObject({ reason: "breakpoint" });
    expect(await dap.ask("functez/operation")).toMatchObject({ hash: first });
    expect(await value("account.total")).toMatch(/^\d+$/);
    await dap.move("continue");
    expect(await dap.ask("functez/operation")).toMatchObject({ hash: second });
    await dap.ask("disconnect");
    expect(await dap.ended).toBe(0);
  });

  it("lets several editors look at once, and outlives those that die", async () => {
    const others = [1, 2, 3].map(() => new DapClient(cli));
    for (const other of others) await other.launch({ operation: paid, stopOnEntry: true });
    dap = new DapClient(cli);
    await dap.launch({ operation: paid, stopOnEntry: true });
    const fifth = new DapClient(cli);
    await fifth.ask("initialize");
    expect(await fifth.refusal("launch", { operation: paid })).toBe("SANDBOX_BUSY");
    for (const other of others) other.closeInput();
    await Promise.all(others.map(({ ended }) => ended));
    await fifth.ask("launch", { operation: paid });
    fifth.kill();
    await fifth.ended;
    await dap.move("configurationDone");
    await dap.ask("disconnect");
  });
});

it("`functez debug` shows where an operation failed, with its variables", async () => {
  const failed = await call("bank/?add=7&add=700");
  const { stdout, stderr, code } = await cli.functez(["debug", failed]);
  expect(code).toBe(0);
  expect(stdout).toContain("failed: RangeError: too much: 700");
  expect(stdout).toMatch(/at add \(.*bank\.ts:9:\d+\)\n\s+at default \(.*bank\.ts:18:\d+\)/);
  expect(stdout).toContain("amount = 700");
  expect(stderr).toContain("--dap");
  expect((await cli.functez(["debug", "0".repeat(64)])).stderr).toContain("REPLAY_IMPOSSIBLE");
  expect(await json("debug")).toMatchObject({ hash: failed, frames: [{ name: "add" }, { name: "default" }] });
});

it("the adapter says so when the sandbox is gone", async () => {
  const own = await startedSandbox();
  await own.cli.functez(["account", "create", "bob"]);
  await own.cli.functez(["deploy", files.bank, "--name", "bank"]);
  await own.cli.functez(["run", "bank/?add=1"]);
  dap = new DapClient(own.cli);
  await dap.launch({ operation: "last", stopOnEntry: true });
  await dap.move("configurationDone");
  own.process.child.kill("SIGKILL");
  await own.process.ended;
  const ended = dap.event("terminated");
  expect(await dap.refusal("evaluate", { expression: "1", frameId: 1 })).toMatch(
    /DEBUG_SESSION_GONE|NETWORK_UNREACHABLE|SANDBOX_NOT_RUNNING|OWNER_\w+/,
  );
  await ended;
  await until("the adapter tells why", 5_000, () => dap.output() !== "");
  dap.closeInput();
  await dap.ended;
  await own.cli.dispose();
});
