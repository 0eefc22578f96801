import { afterEach, expect, it } from "vitest";
import * as vscode from "vscode";
import { type ErrorCode, errorInBody, SandboxError } from "../../daemon/protocol/errors.ts";
import { COMMANDS, SETTINGS } from "../ids.ts";
import { DaemonStartError } from "./daemon-process.ts";
import { actionsFor, showCrash, showFailure, showStartFailure } from "./failures.ts";

interface Shown {
  readonly text: string;
  readonly buttons: readonly string[];
}

const shown: Shown[] = [];
const ran: unknown[][] = [];
let answer: string | undefined;
const log = { error: () => undefined, show: () => ran.push(["log"]) } as unknown as vscode.LogOutputChannel;
const editor = vscode as unknown as {
  window: { showErrorMessage?: unknown };
  commands: { executeCommand: unknown };
};
editor.window.showErrorMessage = (text: string, ...buttons: string[]) => {
  shown.push({ text, buttons });
  return Promise.resolve(answer);
};
editor.commands.executeCommand = (...args: unknown[]) => Promise.resolve(ran.push(args));
afterEach(() => {
  shown.length = 0;
  ran.length = 0;
  answer = undefined;
});

/** An error as the command line prints it. */
const errorOf = (code: ErrorCode, message: string, next: string): SandboxError =>
  errorInBody(JSON.stringify({ error: { code, message, next, data: {} } }))!;
const endOf = (...lastLines: string[]) => new DaemonStartError({ code: 1, signal: null, lastLines });
const failureOf = (error: SandboxError) =>
  new DaemonStartError({ code: 1, signal: null, lastLines: [] }, error);

it.each<[ErrorCode, string]>([
  ["NOT_LOGGED_IN", COMMANDS.createAccount],
  ["SANDBOX_NOT_RUNNING", COMMANDS.start],
  ["INSUFFICIENT_BALANCE", COMMANDS.deposit],
  ["BAD_ADDRESS", COMMANDS.deposit],
  ["UNKNOWN_ALIAS", COMMANDS.deposit],
  ["PORT_IN_USE", COMMANDS.openSettings],
  ["CONFIG_INVALID", COMMANDS.openConfigFile],
  ["CONFIG_UNREADABLE", COMMANDS.openConfigFile],
  ["DOCKER_UNREACHABLE", COMMANDS.startWithoutContainer],
  ["IMAGE_UNAVAILABLE", COMMANDS.startWithoutContainer],
  ["BUILD_FAILED", COMMANDS.showProblem],
  ["INSTALLATION_DAMAGED", "workbench.extensions.search"],
  ["CLI_MISSING", "workbench.extensions.search"],
])("offers a fix for %s, and performs it when chosen", async (code, command) => {
  answer = actionsFor(code, {})[0]?.title;
  await showFailure(log, "Deposit", errorOf(code, "It is wrong.", "Do this."));
  expect(shown[0]?.text).toBe("Deposit: It is wrong. Do this.");
  expect(shown[0]?.buttons.at(-1)).toBe("Show Log");
  expect(ran[0]?.[0]).toBe(command);
});

it("puts a full stop between a compiler's message and the next step", async () => {
  await showFailure(log, "Deploy", errorOf("BUILD_FAILED", 'a.ts:1:2: Expected ")"\n', "Correct it."));
  expect(shown[0]?.text).toBe('Deploy: a.ts:1:2: Expected ")". Correct it.');
});

it("reports how a running sandbox ended, and restarts it", async () => {
  answer = "Restart Sandbox";
  const { message } = new DaemonStartError({ code: null, signal: "SIGKILL", lastLines: ["ready"] });
  await showCrash(log, { message });
  expect(shown).toEqual([
    {
      text: expect.stringMatching(/SIGKILL[^]*ready/) as string,
      buttons: ["Restart Sandbox", "Show Log"],
    },
  ]);
  expect(ran[0]?.[0]).toBe(COMMANDS.start);
});

it("says nothing when the user cancelled", async () => {
  await showFailure(log, "Deposit", new SandboxError("CANCELLED"));
  await showStartFailure(log, new SandboxError("CANCELLED"));
  expect(shown).toEqual([]);
});

it("opens a broken configuration at the position that the daemon reports", async () => {
  const place = { file: "/a/s.json", line: 3, column: 14, key: "server_port" };
  const error = failureOf(new SandboxError("CONFIG_INVALID", { ...place, found: "x", expected: "a number" }));
  answer = "Open Configuration";
  await showStartFailure(log, error);
  expect(ran).toEqual([[COMMANDS.openConfigFile, { line: 3, column: 14 }]]);
});

it.each([
  ["server_port", SETTINGS.serverPort],
  ["layer1_node.rpc_endpoint", SETTINGS.layer1Port],
  ["runtime_node.endpoint", SETTINGS.runtimePort],
])("offers the setting of %s when that port is in use", async (key, setting) => {
  answer = "Open Settings";
  const port = { host: "127.0.0.1", port: 54_321, for: "it", key };
  await showStartFailure(log, failureOf(new SandboxError("PORT_IN_USE", port)));
  expect(shown[0]).toEqual({
    text: `The sandbox did not start. Port 54321 on 127.0.0.1, wanted for it, is in use. Stop that program, or set ${key} in the configuration to another port (0 picks any free port).`,
    buttons: ["Open Settings", "Show Log"],
  });
  expect(ran).toEqual([[COMMANDS.openSettings, setting]]);
});

it("recognises a damaged installation by Node's message", async () => {
  const error = endOf("node:internal/modules/cjs/loader:1080", "Error: Cannot find module '/x/sandboxd.cjs'");
  expect(error.code).toBe("INSTALLATION_DAMAGED");
  expect(endOf("Error: EACCES: permission denied, open '/x/sandboxd.cjs'").code).toBe("INSTALLATION_DAMAGED");
  await showStartFailure(log, error);
  expect(shown[0]?.buttons).toEqual(["Show Extension", "Show Log"]);
});

it("lets the user retry when there is no better fix, and shows the log", async () => {
  answer = "Show Log";
  await showStartFailure(log, new DaemonStartError({ code: null, signal: "SIGKILL", lastLines: [] }));
  expect(shown[0]?.buttons).toEqual(["Try Again", "Show Log"]);
  expect(ran).toEqual([["log"]]);
});
