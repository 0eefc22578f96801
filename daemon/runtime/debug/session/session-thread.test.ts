import { afterEach, describe, expect, it } from "vitest";
import type {
  Arrival,
  FirstStop,
  OpenedSession,
  SessionFrame,
  ValueHistory,
} from "../../../protocol/debug-session-api.ts";
import { testEngine } from "../../engine/test-engine.ts";
import { engineDirectory, runContent } from "../../test-node.ts";
import { type Debugger, openDebugger } from "../debug-server.ts";
import { CALLEE } from "../test-operations.ts";
import { RecordedRuntime } from "../test-recorded.ts";

let opened: Debugger | undefined;
afterEach(() => opened?.close());

async function counting(options: { leaseMs?: number } = {}) {
  const runtime = new RecordedRuntime(await testEngine());
  const address = runtime.deploy("a", CALLEE);
  const hashes = [1, 2, 3].map((n) => runtime.send("a", runContent(`jstz://${address}/add?n=${n}`)));
  const directory = engineDirectory();
  opened = openDebugger({ directory, ...runtime.debuggerOptions, ...options });
  const owner = opened;
  const ask = async <T>(body: object): Promise<T> => JSON.parse(await owner.perform("session", body)) as T;
  const codeOf = (body: object): Promise<string> =>
    ask(body).then(
      () => "done",
      (error: { code: string }) => error.code,
    );
  const open = (hash: string): Promise<OpenedSession> => ask({ command: "open", hash });
  return { runtime, address, hashes, ask, codeOf, open };
}

describe("a debug session in its thread", () => {
  it("is opened, asked, and closed, beside another", async () => {
    const { address, hashes, ask, codeOf, open } = await counting();
    const [one, other] = await Promise.all([open(hashes[1]!), open(hashes[2]!)]);
    expect(one).toMatchObject({ hash: hashes[1], title: `GET jstz://${address}/add?n=2`, failure: null });
    const source = `jstz://${address}`;
    const values: unknown[] = [];
    for (const { session } of [one, other]) {
      await ask({ session, command: "breakpoints", source, breakpoints: [{ line: 3 }] });
      const arrival = await ask<Arrival>({ session, command: "go", motion: { kind: "continue" } });
      expect(arrival.reason).toBe("breakpoint");
      const { frames } = await ask<{ frames: SessionFrame[] }>({ session, command: "stack" });
      expect(frames[0]).toMatchObject({ source, line: 3 });
      values.push(await ask({ session, command: "evaluate", expression: 'Kv.get("n")' }));
    }
    expect(values).toMatchObject([{ value: "1" }, { value: "3" }]);
    expect(await ask({ session: one.session, command: "close" })).toEqual({});
    expect(await codeOf({ session: one.session, command: "stack" })).toBe("DEBUG_SESSION_GONE");
    expect(await codeOf({ session: other.session, command: "ping" })).toBe("done");
  });

  it("is opened at its first stop, and closed again without one", async () => {
    const { address, hashes, ask, codeOf } = await counting();
    const breakpoints = (line: number): unknown[] => [
      { source: `jstz://${address}`, breakpoints: [{ line }] },
    ];
    const look = { command: "look", hash: hashes[1], filters: [], dataBreakpoints: [] };
    const stop = await ask<FirstStop>({ ...look, breakpoints: breakpoints(3) });
    expect(stop).toMatchObject({ opened: { hash: hashes[1] }, arrival: { reason: "breakpoint" } });
    const { session } = stop.opened;
    const { frames } = await ask<{ frames: SessionFrame[] }>({ session, command: "stack" });
    expect(frames[0]).toMatchObject({ line: 3 });
    const pass = await ask<FirstStop>({ ...look, breakpoints: [] });
    expect(pass.arrival.reason).toBe("end");
    expect(await codeOf({ session: pass.opened.session, command: "ping" })).toBe("DEBUG_SESSION_GONE");
    for (const wrong of [{ breakpoints: 1 }, { breakpoints: [{}] }, { breakpoints: [], filters: 1 }])
      expect(await codeOf({ ...look, ...wrong })).toBe("BAD_REQUEST");
  });

  it("says what is wrong with a command", async () => {
    const { hashes, codeOf, open } = await counting();
    const { session } = await open(hashes[0]!);
    expect(await codeOf({ command: "open", hash: "0".repeat(64) })).toBe("REPLAY_IMPOSSIBLE");
    expect(await codeOf({ command: "open", hash: "x" })).toBe("BAD_REQUEST");
    expect(await codeOf({ command: "stack", session: "nope" })).toBe("DEBUG_SESSION_GONE");
    for (const wrong of [
      { command: "fly" },
      { command: "go" },
      { command: "go", motion: { kind: "up" } },
      { command: "go", motion: { kind: "goto", moment: -1 } },
      { command: "variables", ref: 1, filter: "all" },
      { command: "breakpoints", source: "a", breakpoints: [{ line: "one" }] },
      { command: "breakpoints", source: "a", breakpoints: 5 },
    ])
      expect(await codeOf({ session, ...wrong })).toBe("BAD_REQUEST");
    expect(await codeOf({ session, command: "variables", ref: 1 })).toBe("DEBUG_NOT_PAUSED");
    expect(await codeOf({ session, command: "go", motion: { kind: "start" } })).toBe("done");
    expect(await codeOf({ session, command: "variables", ref: 999 })).toBe("BAD_REQUEST");
    expect(await codeOf({ session, command: "scopes", frame: 9 })).toBe("BAD_REQUEST");
    expect(await codeOf({ session, command: "source", source: "/nowhere.ts" })).toBe("NOT_FOUND");
  });

  it("is one of few, and ends when nobody asks for it", async () => {
    const { hashes, codeOf, open } = await counting({ leaseMs: 3_000 });
    const all = await Promise.all([1, 2, 3, 4].map(() => open(hashes[0]!)));
    expect(await codeOf({ command: "open", hash: hashes[0]! })).toBe("SANDBOX_BUSY");
    await expect
      .poll(() => codeOf({ command: "open", hash: hashes[0]! }), { timeout: 10_000, interval: 100 })
      .toBe("done");
    // Which of them began first is not known.
    const codes = await Promise.all(all.map(({ session }) => codeOf({ session, command: "stack" })));
    expect(codes).toContain("DEBUG_SESSION_GONE");
  });

  it("goes on though a snapshot undoes its operation", async () => {
    const { runtime, hashes, ask, codeOf, open } = await counting();
    const snapshot = runtime.store.snapshot();
    const undone = runtime.send(
      "a",
      runContent(`jstz://${[...runtime.store.ledger.functions()][0]}/add?n=9`),
    );
    const { session } = await open(undone);
    runtime.core.hold();
    runtime.core.restore(snapshot, 0);
    runtime.core.release();
    expect(await ask({ session, command: "go", motion: { kind: "start" } })).toMatchObject({
      reason: "entry",
    });
    expect(await codeOf({ command: "open", hash: undone })).toBe("REPLAY_IMPOSSIBLE");
    expect(await codeOf({ command: "open", hash: hashes[2]! })).toBe("done");
  });

  it("stops a long search when somebody pauses it", async () => {
    const { runtime, address, ask, open } = await counting();
    const hash = runtime.send("a", runContent(`jstz://${address}/loop`));
    const { session } = await open(hash);
    const [breakpoints, source] = [[{ line: 7, condition: "false" }], `jstz://${address}`];
    await ask({ session, command: "breakpoints", source, breakpoints });
    const going = ask<Arrival>({ session, command: "go", motion: { kind: "continue" } });
    let isOver = false;
    void going.finally(() => (isOver = true));
    // The first one may come before the search begins.
    await expect
      .poll(async () => {
        await ask({ session, command: "pause" });
        return isOver;
      })
      .toBe(true);
    expect((await going).reason).toBe("pause");
  });

  it("closes with the debugger, whatever it does", async () => {
    const { hashes, ask, codeOf, open } = await counting();
    const { session } = await open(hashes[0]!);
    await ask({ session, command: "go", motion: { kind: "start" } });
    const opening = open(hashes[1]!);
    opening.catch(() => undefined);
    opened!.close();
    await expect(opening).rejects.toMatchObject({
      code: expect.stringMatching(/SHUTTING_DOWN|REPLAY_LIMIT|GONE/) as string,
    });
    expect(await codeOf({ command: "open", hash: hashes[0]! })).toBe("SHUTTING_DOWN");
  });
});

it("the journal tells who wrote a value, the newest first", async () => {
  const { runtime, address, hashes, ask } = await counting();
  runtime.deposit("b", 5n);
  const { entries, isWhole } = await ask<ValueHistory>({ command: "history", address, key: "n" });
  expect(isWhole).toBe(true);
  expect(entries).toEqual([
    { hash: hashes[2], before: "3", after: "6", canReplay: true },
    { hash: hashes[1], before: "1", after: "3", canReplay: true },
    { hash: hashes[0], before: null, after: "1", canReplay: true },
  ]);
  const deleted = runtime.send("a", runContent(`jstz://${address}/delete`));
  const again = await ask<ValueHistory>({ command: "history", address, key: "n" });
  expect(again.entries[0]).toMatchObject({ hash: deleted, before: "6", after: null });
  const balance = await ask<ValueHistory>({
    command: "history",
    address: runtime.key("b").publicKey.address,
  });
  expect(balance.entries).toMatchObject([{ after: "5" }]);
});
