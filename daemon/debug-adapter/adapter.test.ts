// What an adapter does with `attach`, with a sandbox of which every answer is made up here.
import { beforeEach, describe, expect, it } from "vitest";
import { SandboxError } from "../protocol/errors.ts";
import type { AdapterHost, Following, Holding } from "./adapter-host.ts";
import { DebugAdapter } from "./adapter.ts";
import type { Outgoing } from "./messages.ts";

const FIRST = "a".repeat(64);
const HELD = "b".repeat(64);

let sent: Outgoing[];
let asked: Record<string, unknown>[];
let followings: Following[];
let holdings: Holding[];
let refusal: SandboxError | undefined;
let refusedLook: SandboxError | undefined;
/** What the sandbox tells of a stopped operation, by command. */
let told: Record<string, object>;
let reason: string;
let adapter: DebugAdapter;
let seq: number;

beforeEach(() => {
  [sent, asked, followings, holdings, refusal, seq] = [[], [], [], [], undefined, 0];
  [refusedLook, reason, told] = [undefined, "breakpoint", {}];
  const host: AdapterHost = {
    ask: (body) => {
      const command = body as Record<string, unknown>;
      asked.push(command);
      const opened = { session: "s", hash: command["hash"], isWhole: true, sources: [] };
      const arrival = { reason, moment: 1, output: [] };
      if (refusedLook !== undefined) return Promise.reject(refusedLook);
      return Promise.resolve(
        command["command"] === "look"
          ? { opened, arrival: { ...arrival, ...told["look"] } }
          : (told[command["command"] as string] ?? {}),
      );
    },
    operationOf: (operation) => Promise.resolve(operation),
    follow: (following) => {
      followings.push(following);
      following.onOpen();
      return new Promise(() => undefined);
    },
    hold: (holding) => {
      holdings.push(holding);
      if (refusal !== undefined) return Promise.reject(refusal);
      holding.onOpen("h");
      return new Promise(() => undefined);
    },
    fileExists: () => true,
    nameOf: (address) => address,
  };
  adapter = new DebugAdapter(host, (message) => sent.push(message));
});

/** Sends a request. @returns the code of its error, or `done` */
async function request(command: string, args: object = {}): Promise<unknown> {
  const own = ++seq;
  await adapter.receive({ seq: own, type: "request", command, arguments: args });
  const answer = sent.find((message) => message.type === "response" && message.request_seq === own) as
    | { success: boolean; body?: { error?: { variables: { code: string } } } }
    | undefined;
  return answer?.success === true ? "done" : answer?.body?.error?.variables.code;
}

const commands = (): unknown[] => asked.map(({ command, hash }) => [command, hash]);
/** Until everything that is under way has its answer: they are all there already. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("`attach`", () => {
  it("is refused a second time, also while the first is under way", async () => {
    expect(await Promise.all([request("attach", { hold: true }), request("attach")])).toEqual([
      "done",
      "BAD_REQUEST",
    ]);
    expect(await request("attach")).toBe("BAD_REQUEST");
    expect([followings.length, holdings.length]).toEqual([1, 1]);
  });

  it.each([
    [{}, "those that stop are opened here"],
    [{ hold: true, holdSeconds: 7 }, "each that stops is held before it runs, for 7 s at most"],
  ])("says when breakpoints are in force: %j", async (options, expected) => {
    await request("attach", options);
    await request("setExceptionBreakpoints", { filters: ["uncaught"] });
    expect(JSON.stringify(sent)).not.toContain("Waiting for calls");
    await request("configurationDone");
    expect(sent.at(-1)).toMatchObject({
      event: "output",
      body: { output: `Waiting for calls: ${expected}.\n` },
    });
    await adapter.close();
  });

  it("may be tried again without `hold` when another session holds calls", async () => {
    refusal = new SandboxError("HOLD_TAKEN", {});
    expect(await request("attach", { hold: true })).toBe("HOLD_TAKEN");
    expect(followings).toEqual([]);
    expect(await request("attach")).toBe("done");
    expect([followings.length, holdings.length]).toEqual([1, 1]);
  });

  it("lets a held call go on that comes while another is shown, and shows it after it has run", async () => {
    await request("attach", { hold: true });
    await request("setExceptionBreakpoints", { filters: ["uncaught"] });
    followings[0]!.onOperation(FIRST);
    await nextTurn();
    expect(sent.some((message) => message.type === "event" && message.event === "stopped")).toBe(true);
    asked = [];
    holdings[0]!.onHeld(HELD);
    await nextTurn();
    expect(commands()).toEqual([["done", HELD]]);
    expect(asked[0]).toMatchObject({ hold: "h" });
    followings[0]!.onOperation(HELD);
    await nextTurn();
    expect(commands()).toEqual([["done", HELD]]);
    await adapter.close();
  });

  it("looks at a held call with one request, after which a call without a stop needs none", async () => {
    await request("attach", { hold: true });
    await request("setBreakpoints", { source: { path: "/a.ts" }, breakpoints: [{ line: 3 }] });
    await request("setExceptionBreakpoints", { filters: ["all"] });
    reason = "end";
    holdings[0]!.onHeld(HELD);
    await nextTurn();
    const breakpoints = [{ source: "/a.ts", breakpoints: [{ line: 3 }] }];
    const wanted = { breakpoints, filters: ["all"], dataBreakpoints: [] };
    expect(asked).toEqual([{ command: "look", hash: HELD, hold: "h", ...wanted }]);
    followings[0]!.onOperation(HELD); // it has been looked at
    await nextTurn();
    expect(asked).toHaveLength(1);
  });

  it("says why a call cannot be shown, lets it go on, and shows the next", async () => {
    await request("attach", { hold: true });
    await request("setExceptionBreakpoints", { filters: ["all"] });
    refusedLook = new SandboxError("SANDBOX_BUSY", { reason: "4 debug sessions are open" });
    holdings[0]!.onHeld(HELD);
    await nextTurn();
    expect(commands()).toEqual([
      ["look", HELD],
      ["done", HELD],
    ]);
    expect(JSON.stringify(sent)).toContain("4 debug sessions are open");
    refusedLook = undefined;
    holdings[0]!.onHeld(FIRST);
    await nextTurn();
    expect(sent.some((message) => message.type === "event" && message.event === "stopped")).toBe(true);
    await adapter.close();
  });

  it("ends its hold with the session", async () => {
    await request("attach", { hold: true, holdSeconds: 7 });
    const { signal, seconds } = holdings[0]!;
    expect([signal.aborted, seconds]).toEqual([false, 7]);
    await request("disconnect");
    expect(signal.aborted).toBe(true);
  });
});

it("shows invisible characters of guests by their codes, but for the clipboard", async () => {
  const text = "a\u202eb\u001b[2J\u2066";
  const value = { name: text, value: text, type: "string", ref: 0, named: 0, indexed: 0 };
  told = {
    look: { output: [{ text }], description: text },
    variables: { variables: [value] },
    evaluate: { ...value, value: text },
    exception: { text, isUncaught: true, stack: text },
    stack: {
      frames: [{ name: text, source: "/a.ts", line: 1, column: 1, address: "KT1", state: "running" }],
    },
  };
  await request("attach");
  await request("setExceptionBreakpoints", { filters: ["all"] });
  followings[0]!.onOperation(FIRST);
  await nextTurn();
  await request("stackTrace", { threadId: 1 });
  await request("variables", { variablesReference: 1 });
  await request("exceptionInfo", { threadId: 1 });
  for (const context of ["repl", "hover", "watch"]) await request("evaluate", { expression: "x", context });
  const seen = sent.map((message) => JSON.stringify(message)).join("\n");
  expect(seen.match(/a\\\\u202eb\\\\u001b\[2J\\\\u2066/g)).toHaveLength(11);
  expect(seen).not.toMatch(/\u202e|\\u001b(?<!\\\\u001b)|\u2066/);
  sent = [];
  await request("evaluate", { expression: "x", context: "clipboard" });
  expect(sent[0]).toMatchObject({ body: { result: text } });
  await adapter.close();
});
