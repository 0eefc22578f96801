// The extension with a sandbox in a container, on a real engine if test/editor/run.mjs finds one.
import { ok as assert, equal } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as vscode from "vscode";
import { CONTAINER_NAME } from "../../../cli/container/container-removal.ts";
import { COMMANDS, SETTINGS } from "../../../extension/ids.ts";
import { api, command, labels, test, until } from "./host-test.ts";

const BUILD_LIMIT_MS = 290_000;
const setMode = (mode: "container" | undefined) =>
  vscode.workspace
    .getConfiguration(SETTINGS.section)
    .update(SETTINGS.mode, mode, vscode.ConfigurationTarget.Global);
const containerExists = () =>
  spawnSync("docker", ["inspect", CONTAINER_NAME], { stdio: "ignore" }).status === 0;

if (process.env["FUNCTEZ_TEST_CONTAINER"] === "1") {
  test(
    "starts in a container, shows its progress, and shows the accounts",
    async () => {
      await setMode("container");
      const steps: string[] = [];
      const subscription = api().session.onChange(() => {
        const { state } = api().session;
        if (state.kind === "starting" && state.step !== undefined) steps.push(state.step);
      });
      await command(COMMANDS.start);
      subscription.dispose();
      equal(api().session.state.kind, "running");
      assert(containerExists(), "there is a container");
      assert(steps.includes("Starting the sandbox"), steps.join("; "));
      assert(
        steps.some((step) => /^Building functez\/sandbox:.*step \d/.test(step)),
        steps.join("; "),
      );
      const accounts = await labels("accounts");
      equal(accounts.filter((label) => /^bootstrap\d 100000 ꜩ/.test(label)).length, 6, accounts.join("; "));
    },
    BUILD_LIMIT_MS,
  );

  test("a deposit to an account in the container moves the balance", async () => {
    await command(COMMANDS.deposit, "bootstrap3", "alice", "12.5");
    await until("alice's balance", async () =>
      (await labels("accounts")).some((label) => label.startsWith("alice 12.5 ꜩ")),
    );
  });

  test("restarts in a container with everything reset", async () => {
    await command(COMMANDS.restart, { confirm: false });
    equal(api().session.state.kind, "running");
    assert(containerExists(), "there is a container");
    await until("alice is empty", async () =>
      (await labels("accounts")).some((label) => label.startsWith("alice 0 ꜩ")),
    );
  });

  test("stops and leaves no container", async () => {
    await command(COMMANDS.stop, { confirm: false });
    equal(api().session.state.kind, "stopped");
    await until("no container", () => !containerExists());
  });

  test("without an engine reports what was tried, and starts without a container on request", async () => {
    const kept = process.env["DOCKER_HOST"];
    process.env["DOCKER_HOST"] = "unix:///nowhere/functez-test.sock"; // inherited by children
    try {
      void command(COMMANDS.start); // waits for an answer to its error message
      const failed = await until("failed", () => {
        const { state } = api().session;
        return state.kind === "failed" ? state : undefined;
      });
      equal(failed.code, "DOCKER_UNREACHABLE");
      assert(failed.message.includes("functez-test.sock"), failed.message);
      await command(COMMANDS.startWithoutContainer);
      equal(api().session.state.kind, "running");
      assert(!containerExists(), "there is no container");
    } finally {
      if (kept === undefined) delete process.env["DOCKER_HOST"];
      else process.env["DOCKER_HOST"] = kept;
      await command(COMMANDS.stop, { confirm: false });
      await setMode(undefined);
      await command("notifications.clearAll");
    }
  });
}
