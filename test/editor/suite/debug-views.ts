// What the editor shows beside the debugger: "Debug" above a handler, the history of a value, coverage.
import { ok as assert, deepEqual, equal } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import * as vscode from "vscode";
import { COMMANDS, DEBUG_TYPE } from "../../../extension/ids.ts";
import { api, command, untilEnded, test, until, workspaceFile } from "./host-test.ts";

const SOURCE = `const step = Math.max(1, 0);

function raised(value: number): number {
  if (value > 8) return Math.min(value, 9);
  return Math.max(value, 0) + step;
}

export default (request: Request): Response => {
  const value = raised(Kv.get<number>("value") ?? 0);
  Kv.set("value", value);
  return Response.json({ value });
};
`;

const uri = (): vscode.Uri => workspaceFile("raiser.ts");

interface Frame {
  readonly line: number;
}

/** Acts, and waits for the first stop of a session that begins. @returns it, with the line */
async function openedBy(act: () => Thenable<unknown>): Promise<[vscode.DebugSession, number]> {
  const stopped = new Promise<vscode.DebugSession>((resolve) => {
    const tracker = vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, {
      createDebugAdapterTracker: (session) => ({
        onDidSendMessage({ event }: { event?: string }) {
          if (event !== "stopped") return;
          tracker.dispose();
          resolve(session);
        },
      }),
    });
  });
  await act();
  const session = await stopped;
  const { stackFrames } = (await session.customRequest("stackTrace", { threadId: 1 })) as {
    stackFrames: Frame[];
  };
  return [session, stackFrames[0]!.line];
}

test("debugs a call from the lens above a handler, from its first line on", async () => {
  writeFileSync(uri().fsPath, SOURCE);
  await command(COMMANDS.deploy, uri(), "raiser");
  const lens = await until("the lens", async () => {
    const all = await command<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri(), 10);
    return all.find(({ command: shown }) => shown?.command === COMMANDS.debugCall);
  });
  equal(lens.range.start.line, 7);
  const [session, line] = await openedBy(() =>
    command(COMMANDS.debugCall, lens.command!.arguments![0], "GET /?from=lens"),
  );
  equal(line, 9);
  const { title } = (await session.customRequest("functez/operation")) as { title: string };
  assert(title.endsWith("/?from=lens"), title);
  await untilEnded(session);
});

test("opens an operation of the past of a value at the line that wrote it", async () => {
  for (const path of ["/?n=2", "/?n=3"]) await command(COMMANDS.call, "raiser", path);
  const root = await until("the function", async () =>
    (await api().views.functions.getChildren())?.find(({ label }) => label === "raiser"),
  );
  const store = (await api().views.functions.getChildren(root))?.at(-1);
  const key = (await api().views.functions.getChildren(store))?.find(({ label }) => label === "value");
  const [session, line] = await openedBy(async () => {
    let isChosen = false;
    const shown = command(COMMANDS.valueHistory, key).then(() => (isChosen = true));
    // The oldest is the first, and is chosen as soon as the list is there.
    await until("the choice", async () => {
      if (!isChosen) await command("workbench.action.acceptSelectedQuickOpenItem");
      return isChosen;
    });
    await shown;
  });
  equal(line, 10);
  const { title } = (await session.customRequest("functez/operation")) as { title: string };
  assert(title.endsWith("/?from=lens"), title);
  await untilEnded(session);
});

test("shows which lines the operations ran, until they are hidden or the file changes", async () => {
  const document = await vscode.workspace.openTextDocument(uri());
  const editor = await vscode.window.showTextDocument(document);
  equal(api().coverage.linesOf(uri()), undefined);
  await command(COMMANDS.toggleCoverage);
  deepEqual(Object.fromEntries(api().coverage.linesOf(uri()) ?? []), {
    1: 3,
    4: 3,
    5: 3,
    9: 3,
    10: 3,
    11: 3,
  });
  await command(COMMANDS.toggleCoverage);
  equal(api().coverage.linesOf(uri()), undefined);

  await command(COMMANDS.toggleCoverage);
  assert(api().coverage.linesOf(uri()));
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "\n"));
  equal(api().coverage.linesOf(uri()), undefined);
  await command("workbench.action.files.revert");
  await command(COMMANDS.toggleCoverage);
});
