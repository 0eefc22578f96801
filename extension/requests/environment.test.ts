import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import * as vscode from "vscode";
import { chooseEnvironment, variablesOf } from "./environment.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-environment-"));
  file = join(folder, "http-client.env.json");
  const root = vscode.Uri.file(folder);
  Object.assign(vscode.workspace, {
    workspaceFolders: [{ uri: root }],
    getWorkspaceFolder: () => ({ uri: root }),
    // The editor itself reads a device for ever, and a pipe until somebody writes.
    fs: { stat: () => Promise.resolve({ size: 0 }), readFile: () => new Promise(() => undefined) },
  });
  Object.assign(vscode.Uri, {
    joinPath: (uri: vscode.Uri, ...parts: string[]) => vscode.Uri.file(join(uri.path, ...parts)),
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

async function valueOf(name: string): Promise<string | undefined> {
  const context = { workspaceState: { get: () => undefined } } as unknown as vscode.ExtensionContext;
  return (await variablesOf(context, vscode.Uri.file(join(folder, "a.http"))))(name);
}

it("reads values from a regular file", async () => {
  writeFileSync(file, '{"$shared": {"host": "localhost"}}');
  expect(await valueOf("host")).toBe("localhost");
});

it.skipIf(process.platform === "win32")("reads no pipe, no device and no huge file", async () => {
  execFileSync("mkfifo", [file]);
  expect(await valueOf("host")).toBeUndefined();
  rmSync(file);
  symlinkSync("/dev/zero", file);
  expect(await valueOf("host")).toBeUndefined();
  rmSync(file);
  writeFileSync(file, `{"$shared": {"host": "${"x".repeat(1_000_000)}"}}`);
  expect(await valueOf("host")).toBeUndefined();
});

it("shows names of environments as text", async () => {
  writeFileSync(file, '{"$shared": {}, "$(check) safe\\u202e": {"host": "evil.example"}}');
  let labels: string[] = [];
  Object.assign(vscode.window, {
    activeTextEditor: { document: { uri: vscode.Uri.file(join(folder, "a.http")) } },
    showQuickPick: (items: readonly vscode.QuickPickItem[]) => {
      labels = items.map(({ label }) => label);
      return Promise.resolve(items[1]);
    },
  });
  const chosen: unknown[] = [];
  const workspaceState = {
    get: () => undefined,
    update: (_key: string, name: unknown) => Promise.resolve(chosen.push(name)),
  };
  await chooseEnvironment({ workspaceState } as unknown as vscode.ExtensionContext);
  Object.assign(vscode.window, { activeTextEditor: undefined }); // other files see this fake too
  expect(labels).toEqual(["No environment", "\\$(check) safe\\u202e"]);
  expect(chosen).toEqual(["$(check) safe\u202e"]);
});
