// Common to the tests inside the extension host: a list of tests with time limits, waiting, and the tree as text.
import { writeFileSync } from "node:fs";
import * as vscode from "vscode";
import type { FunctezApi } from "../../../extension/extension.ts";
import { EXTENSION_ID } from "../../../extension/ids.ts";

export interface Outcome {
  readonly title: string;
  readonly passed: boolean;
  readonly ms: number;
  readonly message?: string;
}

interface Test {
  readonly title: string;
  readonly run: () => Promise<void>;
  readonly limitMs: number;
}

const tests: Test[] = [];
/** Only a hang takes as long: several times what the slowest machine needs beside other suites. */
const LIMIT_MS = 240_000;

/** Adds a test; tests run in the order added, and build on each other. */
export function test(title: string, run: () => Promise<void>, limitMs = LIMIT_MS): void {
  tests.push({ title, run, limitMs });
}

/** The extension's return value from `activate`. */
export function api(): FunctezApi {
  const extension = vscode.extensions.getExtension<FunctezApi>(EXTENSION_ID);
  if (!extension?.isActive) throw new Error("the extension is not active");
  return extension.exports;
}

/** Polls until the result is truthy. @throws Error at the deadline */
export async function until<T>(
  what: string,
  read: () => T | Promise<T>,
  limitMs = 120_000,
): Promise<NonNullable<T>> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await read();
    if (value) return value;
    if (Date.now() > end) throw new Error(`${what}: not within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export const command = <T>(id: string, ...args: unknown[]): Thenable<T> =>
  vscode.commands.executeCommand<T>(id, ...args);

export const workspaceFile = (...path: string[]): vscode.Uri =>
  vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, ...path);

/** Rows of a view: label and description. */
export async function labels(view: keyof FunctezApi["views"]): Promise<string[]> {
  const nodes = (await api().views[view].getChildren()) ?? [];
  return nodes.map((node) => [node.label, node.description].filter(Boolean).join(" "));
}

/** Hash of the newest deploy. The list of operations has a limit, so its length says nothing. */
export function newestDeploy(): string | undefined {
  const found = api().session.operations.find(
    ({ kind, data }) => kind === "operation" && data.operation === "DeployFunction" && data.success,
  );
  return found?.data.hash;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Runs all tests and writes the report after each: an interrupted run shows in which test. */
export async function runTests(): Promise<void> {
  const report = process.env["FUNCTEZ_TEST_REPORT"];
  if (report === undefined) throw new Error("FUNCTEZ_TEST_REPORT names no file");
  const outcomes: Outcome[] = [];
  for (const [index, { title, run, limitMs }] of tests.entries()) {
    const started = Date.now();
    let message: string | undefined;
    try {
      await within(limitMs, run());
    } catch (error) {
      message = (error as Error).stack ?? String(error);
    }
    const passed = message === undefined;
    outcomes.push({ title, passed, ms: Date.now() - started, ...(message === undefined ? {} : { message }) });
    writeFileSync(report, JSON.stringify({ outcomes, next: tests[index + 1]?.title }));
  }
  const failed = outcomes.filter(({ passed }) => !passed);
  // Rejecting makes the editor's run fail.
  if (failed.length > 0)
    throw new Error(`${failed.length} failed: ${failed.map(({ title }) => title).join("; ")}`);
}

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Stops a debug session, and resolves when it has ended. */
export async function untilEnded(session: vscode.DebugSession): Promise<void> {
  const end = new Promise<void>((resolve) => {
    const subscription = vscode.debug.onDidTerminateDebugSession(({ id }) => {
      if (id !== session.id) return;
      subscription.dispose();
      resolve();
    });
  });
  await vscode.debug.stopDebugging(session);
  await end;
}
