// The extension with a sandbox as a process: a user's main workflow.
import { ok as assert, deepEqual, equal } from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import * as vscode from "vscode";
import type { FunctezApi } from "../../../extension/extension.ts";
import { COMMANDS, EXTENSION_ID } from "../../../extension/ids.ts";
import { api, command, labels, test, until, workspaceFile } from "./host-test.ts";

test("activates quickly and starts no process", async () => {
  const extension = vscode.extensions.getExtension<FunctezApi>(EXTENSION_ID);
  assert(extension, "the extension is installed");
  const before = process.cpuUsage();
  await extension.activate();
  const { user, system } = process.cpuUsage(before);
  // The benchmark measures activation; here a generous bound, of work and not of time, catches what was not deferred.
  assert(user + system < 1_000_000, `activation took ${user + system} µs of processor time`);
  equal(api().session.state.kind, "stopped");
  deepEqual(await labels("sandbox"), []);
});

test("has every command from a cold start", async () => {
  const known = await vscode.commands.getCommands(true);
  for (const command of Object.values(COMMANDS)) assert(known.includes(command), command);
});

test("starts the sandbox and shows endpoints and six accounts with their balances", async () => {
  await command(COMMANDS.start);
  equal(api().session.state.kind, "running");
  const accounts = await labels("accounts");
  deepEqual(
    accounts.slice(0, 6),
    [0, 1, 2, 3, 4, 5].map((index) => `bootstrap${index} 100000 ꜩ`),
  );
  const sandbox = await labels("sandbox");
  assert(
    sandbox.some((label) => label.startsWith("Running")),
    sandbox.join(),
  );
  assert(
    sandbox.some((label) => label.startsWith("runtime_node 127.0.0.1:")),
    sandbox.join(),
  );
});

test("follows the layer 1 head", async () => {
  const level = await until("a level", () => api().session.level);
  await until("a later level", () => (api().session.level ?? 0) > level);
});

test("creates an account, and a deposit moves the balances in the tree", async () => {
  await command(COMMANDS.createAccount, "alice");
  const result = await command<{ operation: string }>(COMMANDS.deposit, "bootstrap2", "alice", "250.5");
  assert(result?.operation, "the deposit has an operation");
  await until("alice's balance", async () =>
    (await labels("accounts")).some((label) => label.startsWith("alice 250.5 ꜩ")),
  );
  await until("bootstrap2's balance", async () =>
    (await labels("accounts")).some((label) => /^bootstrap2 99749\.\d+ ꜩ/.test(label)),
  );
  await until("the operation", async () =>
    (await labels("operations")).some((label) => label.startsWith("Deposit to alice 250.5 ꜩ")),
  );
});

test("offers Deploy and Call above the handler, deploys, calls, and shows function, values and call tree", async () => {
  const uri = workspaceFile("counter", "index.ts");
  await vscode.window.showTextDocument(uri);
  const lenses = await until("lenses", async () => {
    const found = await command<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri);
    return found?.length >= 2 ? found : undefined;
  });
  assert(lenses.some((lens) => lens.command?.title.includes("Deploy")));
  const deployed = await command<{ address: string }>(COMMANDS.deploy, uri, "counter");
  assert(deployed?.address.startsWith("KT1"));
  const called = await command<{ statusCode: number; body: unknown }>(COMMANDS.call, "counter", "/increment");
  deepEqual([called.statusCode, called.body], [200, { count: 1 }]);
  await until("the function", async () =>
    (await labels("functions")).some((label) => label.startsWith("counter ")),
  );
  const [node] = (await api().views.functions.getChildren()) ?? [];
  const children = (await api().views.functions.getChildren(node)) ?? [];
  const [group] = (await api().views.functions.getChildren(children.at(-1))) ?? [];
  equal(group?.label, "counters");
  const [value] = (await api().views.functions.getChildren(group)) ?? [];
  equal(value?.description, "1");
  const operation = await until("the call", () =>
    api().session.operations.find(
      ({ kind, data }) => kind === "operation" && data.operation === "RunFunction",
    ),
  );
  await command(COMMANDS.showOperation, operation.data.hash);
  const shown = await until("the call tree", () =>
    vscode.window.visibleTextEditors.find(({ document }) => document.uri.path.endsWith("call-tree.txt")),
  );
  assert(/GET counter\/increment → 200/.test(shown.document.getText()), shown.document.getText());
});

test("puts a syntax error at its line", async () => {
  const uri = workspaceFile("broken.ts");
  writeFileSync(uri.fsPath, "export default function (\n  request: Request {\n}\n");
  void command(COMMANDS.deploy, uri, "broken"); // not awaited: it waits for an answer to its error message
  const [diagnostic] = await until("a diagnostic", () => {
    const found = vscode.languages.getDiagnostics(uri).filter(({ source }) => source === "functez");
    return found.length > 0 ? found : undefined;
  });
  equal(diagnostic!.range.start.line, 1);
  await command("notifications.clearAll");
});

test("runs the command line from the terminal's PATH", async () => {
  const out = workspaceFile("terminal-output.txt").fsPath;
  const terminal = vscode.window.createTerminal({ name: "test", shellPath: "/bin/sh" });
  terminal.show();
  await until("the shell", async () => await terminal.processId);
  terminal.sendText(`functez account list > '${out}' 2>&1; echo finished >> '${out}'`);
  const text = await until("its output", () =>
    existsSync(out) && readFileSync(out, "utf8").includes("finished") ? readFileSync(out, "utf8") : undefined,
  );
  assert(/Accounts:\nalice: tz1/.test(text), text);
  terminal.dispose();
});

test("bakes blocks on demand", async () => {
  const before = await until("a level", () => api().session.level);
  await command(COMMANDS.bakeBlock, 5);
  await until("five levels more", () => (api().session.level ?? 0) >= before + 5);
});
