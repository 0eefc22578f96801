import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Arrival, SessionCommand, SessionFrame } from "../../../protocol/debug-session-api.ts";
import { testEngine } from "../../engine/test-engine.ts";
import { engineDirectory, runContent } from "../../test-node.ts";
import { sendStateBefore } from "../state-before.ts";
import { CALLEE } from "../test-operations.ts";
import { RecordedRuntime } from "../test-recorded.ts";
import { openSessionThread, type SessionThread } from "./session-thread.ts";
import { SessionWorkers } from "./session-workers.ts";

let runtime: RecordedRuntime;
let address: string;
let workers: SessionWorkers;
beforeEach(async () => {
  runtime = new RecordedRuntime(await testEngine());
  address = runtime.deploy("a", CALLEE);
  const { settings, realTime } = runtime.debuggerOptions;
  workers = new SessionWorkers({ directory: engineDirectory(), settings, realTime });
});
afterEach(() => workers.release());

function open(path: string): Promise<SessionThread> {
  const hash = runtime.send("a", runContent(`jstz://${address}${path}`));
  const entry = runtime.store.journal.find(hash)!;
  return openSessionThread({
    workers,
    sources: new Map(),
    feed: (send) => sendStateBefore(runtime.store, entry, new Set([hash]), send),
    onClosed: () => undefined,
    onStarted: () => undefined,
  });
}

const ask = async <T>(session: SessionThread, command: SessionCommand): Promise<T> =>
  JSON.parse(await session.ask(command)) as T;

/** Number of the thread that the next session gets. */
function nextThread(): number {
  const taken = workers.take();
  const { threadId } = taken.worker;
  workers.giveBack(taken, true);
  return threadId;
}

describe("a thread that is kept", () => {
  it("takes one session after another, each on its own state, wherever the one before was left", async () => {
    workers.keep();
    const first = nextThread();
    for (const [n, before] of [
      [5, "null"],
      [7, "5"],
      [9, "12"],
    ] as const) {
      const session = await open(`/add?n=${n}`);
      const breakpoints = [{ line: 3 }];
      const source = `jstz://${address}`;
      // Breakpoints of the session before are gone with it.
      const go = { command: "go", motion: { kind: "continue" } } as const;
      expect((await ask<Arrival>(session, go)).reason).toBe("end");
      await ask(session, { command: "go", motion: { kind: "start" } });
      await ask(session, { command: "breakpoints", source, breakpoints });
      expect((await ask<Arrival>(session, go)).reason).toBe("breakpoint");
      const { frames } = await ask<{ frames: SessionFrame[] }>(session, { command: "stack" });
      expect(frames[0]).toMatchObject({ source, line: 3 });
      const evaluate = { command: "evaluate", expression: 'Kv.get("n")', frame: 0 } as const;
      expect(await ask(session, evaluate)).toMatchObject({ value: before });
      session.close();
      expect(nextThread()).toBe(first);
    }
  });

  it("is another one after a session that was at work when it was closed", async () => {
    workers.keep();
    const first = nextThread();
    const session = await open("/loop");
    const [breakpoints, source] = [[{ line: 7, condition: "false" }], `jstz://${address}`];
    await ask(session, { command: "breakpoints", source, breakpoints });
    const going = session.ask({ command: "go", motion: { kind: "continue" } });
    session.close();
    await expect(going).rejects.toMatchObject({ code: "DEBUG_SESSION_GONE" });
    expect(nextThread()).not.toBe(first);
    expect((await open("/add?n=1")).opened.failure).toBeNull();
  });

  it("is another one after a thread that has ended", async () => {
    workers.keep();
    const taken = workers.take();
    workers.giveBack(taken, true);
    await taken.worker.terminate();
    expect(nextThread()).not.toBe(taken.worker.threadId);
  });

  it("waits a while for the next session when no calls are held", async () => {
    const first = nextThread();
    (await open("/add?n=1")).close();
    expect(nextThread()).toBe(first);
    workers.keep();
    expect(nextThread()).toBe(first);
  });

  it("ends once nobody has needed it for a while", async () => {
    const { settings, realTime } = runtime.debuggerOptions;
    const brief = new SessionWorkers({ directory: engineDirectory(), settings, realTime }, 20);
    const taken = brief.take();
    brief.giveBack(taken, true);
    await new Promise((resolve) => taken.worker.once("exit", resolve));
    const next = brief.take();
    expect(next.worker).not.toBe(taken.worker);
    await next.worker.terminate();
  });
});
