// Calls held by the debugger before they are executed: the built adapter, driven by a plain client of the protocol.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type BuiltCli, type RunningProcess, startedSandbox } from "./support/built-cli.ts";
import { DapClient } from "./support/dap-client.ts";
import { BANK, holdCalls, LINE } from "./support/held-bank.ts";

let cli: BuiltCli;
let runtime: string;
let file: string;
let bank: string;
let dap: DapClient;

beforeAll(async () => {
  const { ready, ...started } = await startedSandbox();
  ({ cli } = started);
  ({ runtime } = ready);
  for (const name of ["alice", "bob"]) await cli.functez(["account", "create", name]);
  const folder = join(cli.configHome, "functions");
  mkdirSync(folder);
  file = join(folder, "bank.ts");
  writeFileSync(file, BANK);
  const { stdout } = await cli.functez(["--json", "deploy", file, "--name", "bank"]);
  bank = (JSON.parse(stdout) as { address: string }).address;
});
afterAll(() => cli.dispose());
afterEach(async () => {
  dap.closeInput();
  await dap.ended;
});

/** An editor that holds calls, with a breakpoint in the bank. */
const holding = (args: object = {}, client = new DapClient(cli)): Promise<DapClient> =>
  holdCalls(client, file, args);

const call = (amount: number, account = "alice"): RunningProcess =>
  cli.start("functez", ["run", `bank/?add=${amount}`, "--account", account]);
const total = async (client = dap): Promise<string> =>
  (await client.ask<{ result: string }>("evaluate", { expression: "total", frameId: 1 })).result;

async function heldOperation(): Promise<{ hash: string; waiting: number } | null> {
  const answer = await fetch(`${runtime}/operations/held`);
  return ((await answer.json()) as { held: { hash: string; waiting: number } | null }).held;
}

/** The sum in the answer of a call, once it has one. */
async function answerOf({ ended, output }: RunningProcess): Promise<number> {
  expect(await ended, output()).toBe(0);
  return Number(/"total":\s*(\d+)/.exec(output())?.[1]);
}

describe("an editor that holds calls", () => {
  let before = 0;
  beforeEach(async () => {
    const answer = await fetch(`${runtime}/accounts/${bank}/kv?key=total`);
    before = answer.ok ? Number(await answer.json()) : 0;
  });

  it("stops in a call that has not run, and lets it run when it continues to the end", async () => {
    dap = await holding();
    const [first, stopped] = [call(2), await dap.event("stopped")];
    expect(stopped.body).toMatchObject({ reason: "breakpoint" });
    const { hash } = (await heldOperation())!;
    expect(await dap.event("functez/held")).toMatchObject({ body: { hash, seconds: 25 } });
    expect(await dap.ask("functez/operation")).toMatchObject({ hash });
    expect(await total()).toBe(String(before));
    expect(await first.line(/debugger holds/)).toContain("this operation");
    const second = call(3, "bob");
    expect(await second.line(/debugger holds/)).toContain(hash);
    expect([(await heldOperation())!.waiting, first.child.exitCode]).toEqual([1, null]);
    // There and back: the recording is the debugger's own.
    await dap.move("next");
    await dap.move("stepBack");
    expect(await dap.move("continue")).toMatchObject({ reason: "breakpoint" });
    expect(await answerOf(first)).toBe(before + 2);
    expect(await total()).toBe(String(before + 2));
    await dap.ask("continue");
    expect(await answerOf(second)).toBe(before + 5);
    expect(await heldOperation()).toBeNull();
    before += 5;
    await dap.ask("disconnect");
    expect(await dap.ended).toBe(0);
  });

  it("lets it run on request and when its time is over, and goes on to show the recording", async () => {
    dap = await holding({ holdSeconds: 1 });
    const late = call(1);
    await dap.event("stopped");
    expect((await dap.event("functez/released")).body).toMatchObject({ by: "time" });
    expect(await answerOf(late)).toBe(before + 1);
    expect(dap.output()).toContain("The operation went on; you look at its recording.");
    expect(await total()).toBe(String(before));
    // Nobody can look at another meanwhile, so it is not held; it is opened after the fact.
    expect(await answerOf(call(1))).toBe(before + 2);
    await dap.move("continue");
    expect(await total()).toBe(String(before + 1));
    before += 2;
    await dap.ask("disconnect");
    await dap.ended;
    dap = await holding({ holdSeconds: 60 });
    const released = call(4);
    await dap.event("stopped");
    await dap.ask("functez/release");
    expect(await answerOf(released)).toBe(before + 4);
    expect((await dap.event("functez/released")).body).toMatchObject({ by: "session" });
    expect(await total()).toBe(String(before));
    before += 4;
    await dap.ask("disconnect");
  });

  it("shows a call once, and none that has nothing to stop at", async () => {
    dap = await holding();
    await dap.ask("setBreakpoints", { source: { path: file }, breakpoints: [] });
    expect(await answerOf(call(1))).toBe(++before);
    await dap.ask("setExceptionBreakpoints", { filters: [] });
    expect(await answerOf(call(1))).toBe(++before);
    const source = { path: file };
    const condition = `amount === 2`;
    await dap.ask("setBreakpoints", { source, breakpoints: [{ line: LINE, condition }] });
    expect(await answerOf(call(1))).toBe(++before);
    const last = call(2);
    await dap.event("stopped");
    const { hash } = (await heldOperation())!;
    expect(await dap.ask("functez/operation")).toMatchObject({ hash });
    await dap.ask("continue");
    expect(await answerOf(last)).toBe((before += 2));
    await dap.ask("disconnect");
    await dap.ended;
    expect(dap.events("stopped")).toEqual([]);
  });

  it.each([
    ["disconnects", "none", (editor: DapClient) => editor.ask("disconnect")],
    ["closes the pipe of its adapter", "none", (editor: DapClient) => editor.closeInput()],
    ["loses its adapter by SIGKILL", "none", (editor: DapClient) => editor.kill()],
    ["dies by SIGKILL itself", "process", (editor: DapClient) => editor.kill()],
  ] as const)("lets go within a second when it %s", async (_how, editor, leave) => {
    dap = await holding({ holdSeconds: 60 }, new DapClient(cli, [], editor));
    const waiting = call(1);
    await dap.event("stopped");
    expect(await heldOperation()).not.toBeNull();
    const begun = performance.now();
    await leave(dap);
    while ((await heldOperation()) !== null) await new Promise((resolve) => setImmediate(resolve));
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(await answerOf(waiting)).toBe(++before);
  });

  it("is the only one that does", async () => {
    dap = await holding();
    const other = new DapClient(cli);
    await other.ask("initialize");
    for (const args of [{ holdSeconds: 61 }, { holdSeconds: 0 }, { hold: "yes" }])
      expect(await other.refusal("attach", { hold: true, ...args })).toBe("BAD_REQUEST");
    expect(await other.refusal("attach", { hold: true })).toBe("HOLD_TAKEN");
    await other.ask("attach");
    await other.event("initialized");
    await other.ask("disconnect");
    await dap.ask("disconnect");
  });

  it("keeps no snapshot and no stop waiting", async () => {
    dap = await holding({ holdSeconds: 60 });
    const waiting = call(1);
    await dap.event("stopped");
    expect(await cli.functez(["sandbox", "snapshot", "held"])).toMatchObject({ code: 0 });
    expect(await answerOf(waiting)).toBe(++before);
    expect((await dap.event("functez/released")).body).toMatchObject({ by: "owner" });
    await dap.ask("continue");
    const last = call(1);
    await dap.event("stopped");
    const begun = performance.now();
    expect(await cli.functez(["sandbox", "stop"])).toMatchObject({ code: 0 });
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(await answerOf(last)).toBe(++before);
  });
});
