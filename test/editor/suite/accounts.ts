// Accounts and functions beyond the main workflow: transfers, keys, new functions and examples, sources.
import { ok as assert, deepEqual, equal } from "node:assert/strict";
import { rmSync } from "node:fs";
import * as vscode from "vscode";
import { BOOTSTRAP_ACCOUNTS } from "../../../daemon/protocol/constants.ts";
import { COMMANDS } from "../../../extension/ids.ts";
import { api, command, labels, test, until, workspaceFile } from "./host-test.ts";

const activePath = (): string | undefined => vscode.window.activeTextEditor?.document.uri.path;

test("transfers tez between accounts of the runtime", async () => {
  await command(COMMANDS.createAccount, "carol");
  await command(COMMANDS.transfer, "alice", "carol", "1.25");
  await until("carol's balance", async () =>
    (await labels("accounts")).some((label) => label.startsWith("carol 1.25 ꜩ")),
  );
});

test("takes a snapshot, shows it, and goes back to it", async () => {
  const snapshots = async () => {
    const group = (await api().views.sandbox.getChildren())?.find(({ label }) => label === "Snapshots");
    return ((await api().views.sandbox.getChildren(group)) ?? []).map(({ label }) => label);
  };
  deepEqual(await snapshots(), ["None yet"]);
  await command(COMMANDS.takeSnapshot, "before");
  deepEqual(await snapshots(), ["before"]);
  await command(COMMANDS.transfer, "carol", "alice", "1");
  await until("the transfer", async () =>
    (await labels("accounts")).some((label) => label.startsWith("carol 0.25 ꜩ")),
  );
  await command(COMMANDS.restoreSnapshot, "before", { confirm: false });
  await until("the state of the snapshot", async () =>
    (await labels("accounts")).some((label) => label.startsWith("carol 1.25 ꜩ")),
  );
});

test("copies the public secret key of a bootstrap account", async () => {
  await command(COMMANDS.copySecretKey, "bootstrap3");
  await until(
    "the key in the clipboard",
    async () => (await vscode.env.clipboard.readText()) === BOOTSTRAP_ACCOUNTS[3].secretKey,
  );
});

test("begins a new function as an unsaved document, which gets its file when it is deployed", async () => {
  await command(COMMANDS.newFunction, "fresh");
  const document = vscode.window.activeTextEditor!.document;
  assert(document.isUntitled && document.uri.path.endsWith("/fresh.ts"), document.uri.toString());
  const lenses = await until("lenses", async () => {
    const found = await command<vscode.CodeLens[]>("vscode.executeCodeLensProvider", document.uri);
    return found.length > 0 ? found : undefined;
  });
  assert(lenses.some((lens) => lens.command?.title.includes("Deploy")));
  const deployed = await command<{ alias: string }>(COMMANDS.deploy, document.uri);
  equal(deployed?.alias, "fresh");
  equal((await vscode.workspace.fs.stat(workspaceFile("fresh.ts"))).type, vscode.FileType.File);
  const called = await command<{ statusCode: number }>(COMMANDS.call, "fresh", "/increment");
  equal(called.statusCode, 200);
});

test("opens examples, and never on top of a file that exists", async () => {
  await command(COMMANDS.openExample, "hello");
  equal(activePath(), workspaceFile("hello.ts").path);
  assert(vscode.window.activeTextEditor!.document.getText().startsWith("// Greets"));
  await command("workbench.action.revertAndCloseActiveEditor");
  await command(COMMANDS.newFunction, "fresh");
  assert(activePath() !== workspaceFile("fresh.ts").path, "another document than the saved one");
  await command("workbench.action.revertAndCloseActiveEditor");
});

test("opens the source of a function, or its deployed code when the file is gone", async () => {
  const node = await until("the function", async () =>
    (await api().views.functions.getChildren())?.find(({ label }) => label === "fresh"),
  );
  await command("workbench.action.closeAllEditors");
  await command(COMMANDS.openSource, node);
  equal(activePath(), workspaceFile("fresh.ts").path);
  await command("workbench.action.closeAllEditors");
  rmSync(workspaceFile("fresh.ts").fsPath);
  await command(COMMANDS.openSource, node);
  await until("the deployed code", () => activePath()?.endsWith("/fresh.js"));
  await command(COMMANDS.copyUrl, node);
  equal(await vscode.env.clipboard.readText(), `jstz://${node.value}/`);
});
