// The end of a sandbox: restart, crash, other clients, stop.
import { ok as assert, deepEqual, equal } from "node:assert/strict";
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
