// Tasks and launches of `functez dev`, as the editor runs them.
import { ok as assert, deepEqual, equal } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import * as vscode from "vscode";
import { DEBUG_TYPE, TASK_TYPE } from "../../../extension/ids.ts";
import { newestDeploy, test, until, workspaceFile } from "./host-test.ts";

const GOOD = 'export default (request: Request): Response => new Response("hi " + request.method);\n';
const BROKEN = "export default function (\n  request: Request {\n}\n";
const problemsOf = (uri: vscode.Uri) =>
  vscode.languages.getDiagnostics(uri).filter(({ source }) => source === "functez");

test("offers tasks for the open file, and for the sandbox", async () => {
  const tasks = await vscode.tasks.fetchTasks({ type: TASK_TYPE });
  deepEqual(tasks.map(({ name }) => name).sort(), ["deploy", "dev", "sandbox start", "sandbox status"]);
  equal(tasks.find(({ name }) => name === "dev")?.isBackground, true);
});

test("the task dev deploys on every save, and puts an error at its line until it is corrected", async () => {
  const uri = workspaceFile("watched.ts");
  writeFileSync(uri.fsPath, GOOD);
  await vscode.window.showTextDocument(uri);
  const dev = (await vscode.tasks.fetchTasks({ type: TASK_TYPE })).find(({ name }) => name === "dev");
  const before = newestDeploy();
  const execution = await vscode.tasks.executeTask(dev!);
  const first = await until("the first deploy", () =>
    newestDeploy() === before ? undefined : newestDeploy(),
  );
  writeFileSync(uri.fsPath, BROKEN);
  const [problem] = await until("a problem", () => {
    const found = problemsOf(uri);
    return found.length > 0 ? found : undefined;
  });
  equal(problem!.range.start.line, 1);
  writeFileSync(uri.fsPath, `${GOOD}// corrected\n`);
  await until("the next deploy", () => newestDeploy() !== first);
  await until("no problem", () => problemsOf(uri).length === 0);
  const ended = new Promise((resolve) => vscode.tasks.onDidEndTaskProcess(resolve));
  execution.terminate();
  await ended;
});

test("a launch deploys on every save, prints to the debug console, and ends with Stop", async () => {
  const printed: string[] = [];
  const tracker = vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, {
    createDebugAdapterTracker: () => ({
      onDidSendMessage: (message: { event?: string; body?: { output?: string } }) => {
        if (message.event === "output") printed.push(message.body?.output ?? "");
      },
    }),
  });
  const uri = workspaceFile("launched.ts");
  writeFileSync(uri.fsPath, GOOD);
  const before = newestDeploy();
  const ended = new Promise<vscode.DebugSession>((resolve) =>
    vscode.debug.onDidTerminateDebugSession(resolve),
  );
  const folder = vscode.workspace.workspaceFolders?.[0];
  const started = await vscode.debug.startDebugging(folder, {
    type: DEBUG_TYPE,
    request: "launch",
    name: "dev",
    program: "${workspaceFolder}/launched.ts",
    alias: "launched",
  });
  assert(started, "the launch starts");
  const first = await until("the first deploy", () =>
    newestDeploy() === before ? undefined : newestDeploy(),
  );
  await until("its word", () => printed.some((line) => line.includes("Watching")));
  writeFileSync(uri.fsPath, `${GOOD}// again\n`);
  await until("the next deploy", () => newestDeploy() !== first);
  await vscode.debug.stopDebugging();
  await ended;
  tracker.dispose();
});
