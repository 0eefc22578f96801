// The end of a sandbox: restart, crash, other clients, stop.
import { ok as assert, deepEqual, equal } from "node:assert/strict";
import * as vscode from "vscode";
import { COMMANDS } from "../../../extension/ids.ts";
import { api, command, isAlive, labels, test, until } from "./host-test.ts";

test("resets everything on restart", async () => {
  await command(COMMANDS.restart, { confirm: false });
  equal(api().session.state.kind, "running");
  assert((await labels("accounts")).includes("bootstrap2 100000 ꜩ"));
  await until("alice is empty", async () =>
    (await labels("accounts")).some((label) => label.startsWith("alice 0 ꜩ")),
  );
  deepEqual(await labels("functions"), []);
  // Their aliases are left, but nothing is offered: the command ends without a question.
  let isDone = false;
  void command(COMMANDS.showFunctionLogs).then(() => (isDone = true));
  await until("no function to choose", () => isDone);
});

test("shows in the status bar which network deploys and calls go to", async () => {
  const network = (name: string | undefined) =>
    vscode.workspace.getConfiguration("functez").update("network", name, vscode.ConfigurationTarget.Global);
  assert(!api().statusBar.text.includes("$(globe)"), api().statusBar.text);
  await network("othernet");
  await until("the network", () => api().statusBar.text.endsWith("$(globe) othernet"));
  await network(undefined);
  await until("the sandbox", () => !api().statusBar.text.includes("othernet"));
});

test("brings all functions back that went with the restart", async () => {
  const redeployed = await command<string[]>(COMMANDS.redeployAll);
  assert(redeployed.includes("echo") && redeployed.includes("failing"), redeployed.join());
  await until("the functions", async () =>
    (await labels("functions")).some((label) => label.startsWith("echo ")),
  );
  deepEqual(await command<string[]>(COMMANDS.redeployAll), []);
  await command("notifications.clearAll");
});

test("reports how a killed sandbox ended, and restarts it", async () => {
  const { pid } = api().session.sandbox!;
  process.kill(pid, "SIGKILL");
  const state = await until("failed", () => {
    const { state } = api().session;
    return state.kind === "failed" ? state : undefined;
  });
  assert(/SIGKILL/.test(state.message), state.message);
  await command(COMMANDS.start);
  equal(api().session.state.kind, "running");
});

test("attaches to a shared sandbox, and asks before stopping it", async () => {
  const response = await fetch(`${api().session.sandbox!.sandboxd}/events?lifeline=1`);
  equal(await api().session.otherClients(), 1);
  await response.body?.cancel();
  await until("alone again", async () => (await api().session.otherClients()) === 0);
});

test("stops and leaves no process", async () => {
  const { pid } = api().session.sandbox!;
  await command(COMMANDS.stop, { confirm: false });
  equal(api().session.state.kind, "stopped");
  await until("no process", () => !isAlive(pid));
  deepEqual(await labels("accounts"), []);
});
