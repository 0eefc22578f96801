// A call held at a breakpoint before it is executed: the status bar says so, and lets it go on.
import { ok as assert, deepEqual, equal } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import * as vscode from "vscode";
import { COMMANDS, DEBUG_TYPE } from "../../../extension/ids.ts";
import { api, command, untilEnded, test, until, workspaceFile } from "./host-test.ts";

const SOURCE = `export default (request: Request): Response => {
  const count = (Kv.get<number>("count") ?? 0) + 1;
  Kv.set("count", count);
  return Response.json({ count });
};
`;

const uri = (): vscode.Uri => workspaceFile("held.ts");
const call = (): Thenable<{ operation: string }> => command(COMMANDS.call, "held", "/");
const operations = (): number => api().session.operations.length;

/** A session that holds calls, with a breakpoint where the count is stored. */
async function holding(holdSeconds: number): Promise<{ session: vscode.DebugSession; stops: unknown[] }> {
  const stops: unknown[] = [];
  let session: vscode.DebugSession | undefined;
  const tracker = vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, {
    createDebugAdapterTracker(tracked) {
      session = tracked;
      return {
        onDidSendMessage({ event, body }: { event?: string; body?: unknown }) {
          if (event === "stopped") stops.push(body);
        },
      };
    },
  });
  const breakpoint = new vscode.SourceBreakpoint(new vscode.Location(uri(), new vscode.Position(2, 0)));
  vscode.debug.addBreakpoints([breakpoint]);
  await vscode.debug.startDebugging(undefined, {
    ...{ type: DEBUG_TYPE, request: "attach", name: "held calls" },
    ...{ hold: true, holdSeconds },
  });
  const own = await until("the session", () => session);
  const done = vscode.debug.onDidTerminateDebugSession(({ id }) => {
    if (id !== own.id) return;
    vscode.debug.removeBreakpoints([breakpoint]);
    vscode.Disposable.from(tracker, done).dispose();
  });
  return { session: own, stops };
}

test("holds a call at a breakpoint before it is executed, until somebody lets it go on", async () => {
  writeFileSync(uri().fsPath, SOURCE);
  await command(COMMANDS.deploy, uri(), "held");
  const { session, stops } = await holding(60);
  const before = operations();
  let isAnswered = false;
  const called = call().then(() => (isAnswered = true));
  await until("the stop", () => stops.length === 1);
  const held = await until("the status bar", () => api().heldOperation.text);
  assert(held.startsWith("$(debug-pause)"), held);
  deepEqual([isAnswered, operations() - before], [false, 0]);
  const { stackFrames } = (await session.customRequest("stackTrace", { threadId: 1 })) as {
    stackFrames: { id: number; name: string; line: number }[];
  };
  deepEqual(
    stackFrames.map(({ name, line }) => [name, line]),
    [["default", 3]],
  );
  await command(COMMANDS.releaseHeld);
  await called;
  await until("the end of the hold", () => api().heldOperation.text === undefined);
  // The recording is still there, though the call has run.
  const { result } = (await session.customRequest("evaluate", {
    expression: "count",
    frameId: stackFrames[0]!.id,
  })) as {
    result: string;
  };
  equal(result, "1");
  await untilEnded(session);
});

test("lets a held call go on when the session ends", async () => {
  const { session, stops } = await holding(60);
  const called = call();
  await until("the stop", () => stops.length === 1);
  await until("the status bar", () => api().heldOperation.text);
  await untilEnded(session);
  await called;
  equal(api().heldOperation.text, undefined);
});
