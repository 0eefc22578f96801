import { beforeEach, expect, it } from "vitest";
import * as vscode from "vscode";
import { COMMANDS } from "../ids.ts";
import type { CommandDependencies } from "./dependencies.ts";
import { deleteStoredValue, editStoredValue, findKey } from "./stored-values.ts";

const editor = vscode as unknown as {
  window: Record<
    | "showInputBox"
    | "showInformationMessage"
    | "showWarningMessage"
    | "showErrorMessage"
    | "showQuickPick"
    | "showTextDocument",
    unknown
  >;
  commands: { executeCommand: unknown };
};
const NODE = { address: "KT1NMb73fpb4TEmC3YmspjEyha1uu4RMoKSP", value: "count" };
const SANDBOX = {};

/** A session whose sandbox stops while a question is open. */
let edits: unknown[];
let shown: string[];
let sandbox: object | undefined;
let startAnswer: string | undefined;
const session = {
  get sandbox() {
    return sandbox;
  },
  attachIfRunning: () => Promise.resolve(false),
  runtime: () => ({ kv: () => Promise.resolve(1) }),
  editStore: (...edit: unknown[]) => Promise.resolve(edits.push(edit)),
};
const dependencies = { session } as unknown as CommandDependencies;

beforeEach(() => {
  [edits, shown, sandbox, startAnswer] = [[], [], SANDBOX, undefined];
  editor.window.showInputBox = () => {
    sandbox = undefined;
    return Promise.resolve("2");
  };
  editor.window.showWarningMessage = (text: string, _options: unknown, button: string) => {
    sandbox = undefined;
    shown.push(text);
    return Promise.resolve(button);
  };
  editor.window.showInformationMessage = (text: string) => {
    shown.push(text);
    return Promise.resolve(startAnswer);
  };
  editor.window.showErrorMessage = (text: string) => Promise.resolve(shown.push(text));
  editor.commands.executeCommand = (command: string) => {
    if (command === COMMANDS.start) sandbox = SANDBOX;
    return Promise.resolve();
  };
});

const acts = {
  edit: () => editStoredValue(dependencies, NODE),
  delete: () => deleteStoredValue(dependencies, NODE),
};

it.each(["edit", "delete"] as const)(
  "does not %s when the sandbox stopped while it asked, and says so",
  async (act) => {
    await acts[act]();
    expect(edits).toEqual([]);
    expect(shown.at(-1)).toBe("No sandbox is running.");
  },
);

it.each([
  ["edit", { key: "count", value: "2" }],
  ["delete", { key: "count", value: null }],
] as const)("loses no answer to %s when the user starts the sandbox again", async (act, change) => {
  startAnswer = "Start Sandbox";
  await acts[act]();
  expect(edits).toEqual([[NODE.address, change]]);
});

const HOSTILE = "[Repair](command:x) $(check) \u202e";

it("shows a key as text where it asks for a value", async () => {
  let prompt = "";
  editor.window.showInputBox = (options: vscode.InputBoxOptions) => {
    prompt = options.prompt ?? "";
    return Promise.resolve(undefined);
  };
  await editStoredValue(dependencies, { ...NODE, value: HOSTILE });
  expect(prompt).toContain("[Repair] (command:x) \\$(check) \\u202e");
});

it("shows keys as text in the list, and opens the value of the chosen one", async () => {
  let opened: vscode.Uri | undefined;
  editor.window.showQuickPick = (items: readonly vscode.QuickPickItem[]) => {
    expect(items.map(({ label }) => label)).toEqual(["[Repair](command:x) \\$(check) \\u202e"]);
    return Promise.resolve(items[0]);
  };
  editor.window.showTextDocument = (uri: vscode.Uri) => Promise.resolve(void (opened = uri));
  const subkeys = (_address: string, key?: string) => Promise.resolve(key === undefined ? [HOSTILE] : [""]);
  const find = { session: { runtime: () => ({ subkeys }) } } as unknown as CommandDependencies;
  await findKey(find, { value: NODE.address });
  expect(opened?.path).toBe(`/${NODE.address}/${HOSTILE}.json`);
});
