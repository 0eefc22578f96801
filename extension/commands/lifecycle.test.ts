import { afterEach, beforeEach, expect, it } from "vitest";
import * as vscode from "vscode";
import { VERSION } from "../../daemon/protocol/constants.ts";
import { COMMANDS } from "../ids.ts";
import { warnOfOtherVersion } from "./lifecycle.ts";

const editor = vscode as unknown as {
  window: { showWarningMessage?: unknown };
  commands: { executeCommand: unknown };
};
const warnings: { text: string; buttons: readonly string[] }[] = [];
const ran: unknown[][] = [];
let answer: string | undefined;
beforeEach(() => {
  editor.window.showWarningMessage = (text: string, ...buttons: string[]) => {
    warnings.push({ text, buttons });
    return Promise.resolve(answer);
  };
  editor.commands.executeCommand = (...args: unknown[]) => Promise.resolve(ran.push(args));
});
afterEach(() => {
  warnings.length = 0;
  ran.length = 0;
  answer = undefined;
});

const running = (version: string) => ({
  sandbox: { sandboxd: "http://a", layer1: "http://b", runtime: "http://c", pid: 1, version },
});

it("reports a running sandbox of another version, with both versions, and offers a restart", async () => {
  await warnOfOtherVersion(running("9.9.9"));
  expect(warnings).toEqual([
    { text: expect.stringMatching(/9\.9\.9/) as string, buttons: ["Restart Sandbox…"] },
  ]);
  expect(warnings[0]?.text).toContain(VERSION);
  expect(ran).toEqual([]);
  answer = "Restart Sandbox…";
  await warnOfOtherVersion(running("9.9.9"));
  expect(ran).toEqual([[COMMANDS.restart]]);
});

it("says nothing about the same version, or when nothing runs", async () => {
  await warnOfOtherVersion(running(VERSION));
  await warnOfOtherVersion({ sandbox: undefined });
  expect(warnings).toEqual([]);
});
