import { afterEach, expect, it } from "vitest";
import * as vscode from "vscode";
import { addTypes, isMissingGlobal } from "./runtime-types.ts";

it("recognises unknown globals of the runtime, with both forms of codes", () => {
  expect(isMissingGlobal({ code: 2304, message: "Cannot find name 'Kv'." })).toBe(true);
  expect(
    isMissingGlobal({ code: { value: 2552 }, message: "Cannot find name 'Ledger'. Did you mean 'x'?" }),
  ).toBe(true);
});

it("leaves other diagnostics alone", () => {
  expect(isMissingGlobal({ code: 2304, message: "Cannot find name 'foo'." })).toBe(false);
  expect(isMissingGlobal({ code: 2339, message: "Property 'Kv' does not exist" })).toBe(false);
});

const ran: unknown[][] = [];
const shown: { kind: string; text: string; buttons: readonly string[] }[] = [];
let answers: (string | undefined)[] = [];
const editor = vscode as unknown as {
  window: Record<string, unknown>;
  commands: { executeCommand: unknown };
  workspace: { workspaceFolders: unknown };
};
const message =
  (kind: string) =>
  (text: string, ...buttons: string[]) => {
    shown.push({ kind, text, buttons });
    return Promise.resolve(answers.shift());
  };
editor.window["showInformationMessage"] = message("information");
editor.window["showErrorMessage"] = message("error");
editor.commands.executeCommand = (...args: unknown[]) => Promise.resolve(ran.push(args));
const context = { asAbsolutePath: (path: string) => path } as unknown as vscode.ExtensionContext;
afterEach(() => {
  shown.length = 0;
  ran.length = 0;
  editor.workspace.workspaceFolders = undefined;
});

it("offers to open a folder for the types when there is none", async () => {
  answers = ["Open Folder…"];
  await addTypes(context, undefined);
  expect(shown).toMatchObject([{ kind: "information", buttons: ["Open Folder…"] }]);
  expect(ran).toEqual([["workbench.action.files.openFolder"]]);
});

it("reports why the types cannot be written, and retries on request", async () => {
  editor.workspace.workspaceFolders = [{ uri: { scheme: "file", fsPath: "/nowhere/that/exists" } }];
  answers = ["Try Again", undefined];
  await addTypes(context, undefined);
  expect(shown).toEqual([
    {
      kind: "error",
      text: expect.stringMatching(/cannot be written: ENOENT/) as string,
      buttons: ["Try Again"],
    },
    expect.objectContaining({ kind: "error" }),
  ]);
  expect(ran).toEqual([]);
});
