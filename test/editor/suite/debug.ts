// The debugger in the editor: operations of the past, breakpoints in calls of others, the last write of a value.
import { ok as assert, deepEqual, equal } from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import * as vscode from "vscode";
import { COMMANDS, DEBUG_TYPE } from "../../../extension/ids.ts";
import { api, command, untilEnded, newestDeploy, test, until, workspaceFile } from "./host-test.ts";

const SOURCE = `function add(total: number, amount: number): number {
  const sum = total + amount;
  if (sum > 100) throw new RangeError("too much");
  return sum;
}

export default (request: Request): Response => {
  const amount = Number(new URL(request.url).searchParams.get("amount"));
  const total = add(Kv.get<number>("total") ?? 0, amount);
  Kv.set("total", total);
  return Response.json({ total });
};
`;

interface Frame {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly source?: { readonly path?: string };
}

/** The stops of all sessions, in order. */
const stops: { readonly session: vscode.DebugSession; readonly reason: string }[] = [];

const frames = async (session: vscode.DebugSession): Promise<readonly Frame[]> =>
  ((await session.customRequest("stackTrace", { threadId: 1 })) as { stackFrames: Frame[] }).stackFrames;

/** Acts, and waits for the next stop. @returns the session, and where it stands */
async function stopAfter(act: () => Thenable<unknown>): Promise<[vscode.DebugSession, Frame]> {
  const before = stops.length;
  await act();
  const { session } = await until("a stop", () => stops[before]);
  return [session, (await frames(session))[0]!];
}

const run = (amount: number) => command<{ operation: string }>(COMMANDS.call, "adder", `/?amount=${amount}`);

test("steps through an operation of the past, forwards and backwards, in the source", async () => {
  vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, {
    createDebugAdapterTracker: (session) => ({
      onDidSendMessage({ event, body }: { event?: string; body?: { reason: string } }) {
        if (event === "stopped") stops.push({ session, reason: body!.reason });
      },
    }),
  });
  const uri = workspaceFile("adder.ts");
  writeFileSync(uri.fsPath, SOURCE);
  await command(COMMANDS.deploy, uri, "adder");
  const { operation } = await run(40);
  await until("the operation", () => api().session.operations.some(({ data }) => data.hash === operation));
  const [session, first] = await stopAfter(() => command(COMMANDS.debugOperation, operation));
  assert(first.source?.path?.endsWith(uri.path), first.source?.path); // a URI in a remote window
  equal(first.line, 8);
  const step = (request: string) => () => session.customRequest(request, { threadId: 1 });
  equal((await stopAfter(step("next")))[1].line, 9);
  const [, inside] = await stopAfter(step("stepIn"));
  deepEqual([inside.name, inside.line], ["add", 2]);
  equal((await stopAfter(step("stepBack")))[1].line, 9);
  const value = (await session.customRequest("evaluate", {
    expression: "amount * 2",
    frameId: (
      (await session.customRequest("stackTrace", { threadId: 1 })) as { stackFrames: { id: number }[] }
    ).stackFrames[0]!.id,
  })) as { result: string };
  equal(value.result, "80");
  // To steps by number, and to the cursor, both ways.
  const [, number = "", steps = ""] = /step (\d+) of (\d+)$/.exec(api().recordedSteps.text ?? "") ?? [];
  deepEqual([Number(number), Number(steps) > 4], [2, true]);
  const [, third] = await stopAfter(() => command(COMMANDS.goToStep, 3));
  equal(third.line, 2);
  await until("the number of the step", () => api().recordedSteps.text?.includes(`step 3 of ${steps}`));
  const withCursorAt = (line: number, id: string, here: Frame) => async () => {
    // The editor takes the cursor to where it stops, and would undo ours if it came later. Ours has no column.
    assert(here.column > 1);
    const { Position, Range } = vscode;
    const stoppedAt = new Position(here.line - 1, here.column - 1);
    await until("the cursor where it stopped", () =>
      vscode.window.activeTextEditor?.selection.active.isEqual(stoppedAt),
    );
    await vscode.window.showTextDocument(uri, { selection: new Range(line - 1, 0, line - 1, 0) });
    await command(id);
  };
  const RUN_TO_CURSOR = "editor.debug.action.runToCursor";
  const [, later] = await stopAfter(withCursorAt(11, RUN_TO_CURSOR, third));
  equal(later.line, 11);
  const [, earlier] = await stopAfter(withCursorAt(2, "debug.jumpToCursor", later));
  equal(earlier.line, 2);
  equal((await stopAfter(withCursorAt(10, "debug.jumpToCursor", earlier)))[1].line, 10);
  equal(api().recordedSteps.text !== undefined, true);
  await untilEnded(session);
  equal(api().recordedSteps.text, undefined);
});

test("stops at the statement where a breakpoint within a line is", async () => {
  const uri = workspaceFile("short.ts");
  writeFileSync(
    uri.fsPath,
    `let n: number = 0;
const a = (): void => { n++; };
const b = (by: number): void => { n += by; };
export default (): Response => {
  a(); b(10); a();
  return new Response(String(n));
};
`,
  );
  await command(COMMANDS.deploy, uri, "short");
  const { operation } = await command<{ operation: string }>(COMMANDS.call, "short", "/");
  await until("the operation", () => api().session.operations.some(({ data }) => data.hash === operation));
  const [session] = await stopAfter(() => command(COMMANDS.debugOperation, operation));
  const breakpoint = new vscode.SourceBreakpoint(new vscode.Location(uri, new vscode.Position(4, 14)));
  vscode.debug.addBreakpoints([breakpoint]);
  await until("the breakpoint", async () => {
    const placed = await session.getDebugProtocolBreakpoint(breakpoint);
    return (placed as { verified?: boolean } | undefined)?.verified;
  });
  const [, frame] = await stopAfter(() => session.customRequest("continue", { threadId: 1 }));
  deepEqual([frame.line, frame.column], [5, 15]);
  vscode.debug.removeBreakpoints([breakpoint]);
  await untilEnded(session);
});

test("opens a failed operation where it failed", async () => {
  const { operation } = await run(1_000);
  await until("the operation", () => api().session.operations.some(({ data }) => data.hash === operation));
  const [session, frame] = await stopAfter(() => command(COMMANDS.debugOperation, operation));
  deepEqual([frame.name, frame.line], ["add", 3]);
  await untilEnded(session);
});

test("goes to the line that last wrote a value", async () => {
  const root = await until("the function", async () =>
    (await api().views.functions.getChildren())?.find(({ label }) => label === "adder"),
  );
  const store = (await api().views.functions.getChildren(root))?.at(-1);
  const key = (await api().views.functions.getChildren(store))?.find(({ label }) => label === "total");
  equal(key?.contextValue, "key");
  const [session, frame] = await stopAfter(() => command(COMMANDS.goToLastWrite, key));
  equal(frame.line, 10);
  await untilEnded(session);
});

test("stops at a breakpoint in a call that somebody makes while F5 runs", async () => {
  const uri = workspaceFile("adder.ts");
  const breakpoint = new vscode.SourceBreakpoint(new vscode.Location(uri, new vscode.Position(3, 0)));
  vscode.debug.addBreakpoints([breakpoint]);
  const before = newestDeploy();
  await vscode.debug.startDebugging(vscode.workspace.workspaceFolders![0], {
    ...{ type: DEBUG_TYPE, request: "launch", name: "dev" },
    ...{ program: uri.fsPath, alias: "adder" },
  });
  const dev = await until("both sessions", () => {
    const session = vscode.debug.activeDebugSession;
    return session?.parentSession ?? (session?.name === "dev" ? undefined : session);
  });
  await until("the deploy", () => newestDeploy() !== before);
  const [session, frame] = await stopAfter(() => run(1));
  deepEqual([frame.name, frame.line], ["add", 4]);
  assert(session.parentSession, "the calls are below the session of the file");
  vscode.debug.removeBreakpoints([breakpoint]);
  let isOver = false;
  const over = vscode.debug.onDidTerminateDebugSession(({ id }) => (isOver ||= id === session.id));
  await untilEnded(dev);
  await until("the end of the session below it", () => isOver);
  over.dispose();
});

test("shows the gas of an operation as a profile", async () => {
  const { operation } = await run(1);
  await command(COMMANDS.gasProfile, operation);
  const tab = await until("the profile", () =>
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .find(({ label }) => label.endsWith(".cpuprofile")),
  );
  const { uri } = tab.input as { uri: vscode.Uri };
  assert(existsSync(uri.fsPath));
  await vscode.window.tabGroups.close(tab);
});
