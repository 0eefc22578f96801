import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import * as vscode from "vscode";
import { variablesOf } from "./environment.ts";

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
