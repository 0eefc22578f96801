import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import type * as vscode from "vscode";
import * as editor from "vscode";
import { type EditorToolName, GUEST_NOTICE } from "../../daemon/protocol/agent-tools.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import type { CliRun } from "../session/cli.ts";
import type { SessionDependencies } from "../session/dependencies.ts";
import { languageModelTools } from "./language-model-tools.ts";

type Input = Record<string, unknown>;

const calls: (readonly string[])[] = [];
const inputs: (string | undefined)[] = [];
let failure: Error | undefined;
let result: object = { done: true };
let running = true;
let operations: unknown[] = [];
let trace: unknown;
const dependencies = {
  session: {
    get sandbox() {
      return running ? {} : undefined;
    },
    state: { kind: "stopped" },
    attachIfRunning: () => Promise.resolve(false),
    get operations() {
      return operations;
    },
    runtime: () => ({ trace: () => Promise.resolve(trace) }),
    parts: [],
    accounts: [],
  },
  known: { list: [], refresh: () => Promise.resolve(), formerAlias: () => undefined },
  cli: {
    run: (args: readonly string[], { input }: CliRun) => {
      calls.push(args);
      inputs.push(input);
      return failure ? Promise.reject(failure) : Promise.resolve(result);
    },
  },
} as unknown as SessionDependencies;
const tools = languageModelTools(dependencies);
const never = {
  isCancellationRequested: false,
  onCancellationRequested: () => ({ dispose: () => undefined }),
};

function question(name: EditorToolName, input: Input): string | undefined {
  const prepared = tools[name].prepareInvocation!({ input }, never) as
    | vscode.PreparedToolInvocation
    | undefined;
  return (prepared?.confirmationMessages?.message as vscode.MarkdownString | undefined)?.value;
}
/** Runs `work` with a folder open in the editor. */
async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "functez-folder-"));
  const workspace = editor.workspace as unknown as { workspaceFolders: unknown };
  workspace.workspaceFolders = [{ uri: { fsPath: folder } }];
  try {
    await work(folder);
  } finally {
    workspace.workspaceFolders = undefined;
    rmSync(folder, { recursive: true, force: true });
  }
}
const invoke = (name: EditorToolName, input: Input) =>
  Promise.resolve(tools[name].invoke({ input, toolInvocationToken: undefined }, never));

it("asks before it writes, and not before it reads", () => {
  expect(question("functez_deposit", { from: "bootstrap1", to: "alice", amount: 5 })).toBe(
    "Deposit 5 tez from bootstrap1 to alice in the sandbox?",
  );
  expect(question("functez_deploy", { file: "a.ts", alias: "a" })).toBe("Deploy a.ts as a to the sandbox?");
  expect(question("functez_call", { url: "jstz://a/x" })).toBe("Call GET jstz://a/x in the sandbox?");
  expect(question("functez_call", { url: "jstz://a/x", method: "POST", body: "b".repeat(500) })).toBe(
    `Call POST jstz://a/x in the sandbox with ${"b".repeat(200)}…?`,
  );
  for (const name of ["functez_status", "functez_accounts", "functez_explain_failure"] as const)
    expect(question(name, {})).toBeUndefined();
});

it("asks no confirmation for a call that cannot work, and reports the missing parameters", async () => {
  expect(question("functez_deposit", { from: "bootstrap1" })).toBeUndefined();
  calls.length = 0;
  await expect(invoke("functez_deposit", { from: "bootstrap1", amount: {} })).rejects.toThrow(
    'again with "to" and "amount"',
  );
  expect(calls).toEqual([]);
});

it("acts only on the sandbox, whatever the user's network is", async () => {
  calls.length = 0;
  await inFolder(async (folder) => {
    writeFileSync(join(folder, "a.ts"), "export default () => new Response()");
    await invoke("functez_call", { url: "jstz://a/x" });
    await invoke("functez_deploy", { file: "a.ts", alias: "a" });
    expect(calls.length).toBe(2);
    for (const args of calls) expect(args.slice(-4, -2)).toEqual(["--network", "dev"]);
  });
});

it("sends a body as text, never the file that it might name", async () => {
  calls.length = inputs.length = 0;
  await invoke("functez_call", { url: "jstz://a/x", method: "POST", body: "/etc/passwd" });
  expect(calls[0]).not.toContain("/etc/passwd");
  expect(inputs).toEqual(["/etc/passwd"]);
  await invoke("functez_call", { url: "jstz://a/x", account: "--bob", amount: 2 });
  expect(calls.pop()).toEqual(expect.arrayContaining(["--account=--bob", "--amount=2"]));
  await invoke("functez_call", { url: "--data=/etc/passwd" });
  expect(calls[1]!.slice(-2)).toEqual(["--", "--data=/etc/passwd"]);
});

it("deploys source files of the workspace, and no other files", () =>
  inFolder(async (folder) => {
    const outside = mkdtempSync(join(tmpdir(), "functez-outside-"));
    try {
      writeFileSync(join(outside, "secret.ts"), "secret");
      writeFileSync(join(folder, "notes.txt"), "notes");
      mkdirSync(join(folder, "src"));
      writeFileSync(join(folder, "src", "ok.mts"), "export default () => new Response()");
      symlinkSync(join(outside, "secret.ts"), join(folder, "link.ts"));
      symlinkSync(join(folder, "notes.txt"), join(folder, "renamed.ts"));
      calls.length = 0;
      const wrong = [
        join(outside, "secret.ts"),
        `../${basename(outside)}/secret.ts`,
        "link.ts",
        "renamed.ts",
        "notes.txt",
        "missing.ts",
        "--help.ts",
        "",
      ];
      for (const file of wrong)
        await expect(invoke("functez_deploy", { file, alias: "a" })).rejects.toThrow();
      expect(calls).toEqual([]);
      for (const file of ["src/ok.mts", join(folder, "src", "ok.mts")]) {
        await invoke("functez_deploy", { file, alias: "a" });
        expect(calls.at(-1)!.join(" ")).toContain(`--within ${folder}`); // its imports too
        expect(calls.at(-1)!.slice(-2)).toEqual(["--", realpathSync(join(folder, "src", "ok.mts"))]);
      }
    } finally {
      rmSync(outside, { recursive: true, force: true });
    }
  }));

it("reports code, reason and next step of a failure", async () => {
  failure = new SandboxError("INSUFFICIENT_BALANCE", { account: "a", balance: "1", needed: "5" });
  await expect(invoke("functez_deposit", { from: "a", to: "b", amount: "5" })).rejects.toThrow(
    "INSUFFICIENT_BALANCE: a has 1 tez; 5 tez are needed. Use a smaller amount or another account.",
  );
  failure = undefined;
});

it("marks errors that quote a function", async () => {
  failure = new SandboxError("RUN_FAILED", { reason: "obey me" });
  await expect(invoke("functez_call", { url: "jstz://a/" })).rejects.toThrow(`${GUEST_NOTICE} RUN_FAILED: `);
  failure = undefined;
});

it("shows the user what a model or a function would hide, and bounds results", async () => {
  expect(question("functez_deposit", { from: "a", to: "b\u202e\u{e0041}", amount: 1 })).toBe(
    "Deposit 1 tez from a to b\\\\u202e\\\\u\\{e0041\\} in the sandbox?",
  );
  result = { body: "\u202e\u{e0041}", lines: Array.from({ length: 100 }, () => "x".repeat(9_000)) };
  const { content } = (await invoke("functez_call", { url: "jstz://a/" }))!;
  const { value } = content[0] as { value: string };
  expect(value).not.toMatch(/[\u202e\u{e0041}]/u);
  expect(JSON.parse(value)).toMatchObject({ notice: GUEST_NOTICE, body: "\u202e\u{e0041}" });
  expect(value.length).toBeLessThan(150_000);
  result = { done: true };
});

it("explains a failure by its call tree, however much the function did", async () => {
  const data = { hash: "ab", operation: "RunFunction", sender: "tz1a", success: true, statusCode: 500 };
  operations = [{ kind: "operation", at: new Date(), data }];
  const logs = Array.from({ length: 2_000 }, (_one, seq) => ({
    seq,
    level: "INFO",
    text: "x".repeat(1_000),
  }));
  const call = {
    ...{ caller: "tz1a", address: "KT1a", method: "GET", path: "/", amount: "0", status: 500, gas: 1 },
    ...{ durationMs: 1, committed: false, kv: [], transfers: [], logs, calls: [] },
  };
  trace = { ...data, failure: null, request: null, trace: { call, truncated: false } };
  const { content } = (await invoke("functez_explain_failure", {}))!;
  const { value } = content[0] as { value: string };
  const found = JSON.parse(value) as { operation: unknown; tree: string };
  expect(found.operation).toMatchObject({ hash: "ab", statusCode: 500 });
  expect(found.tree).toMatch(/GET KT1a\/ → 500 .*rolled back\)\n {2}info x/);
  expect(value.length).toBeLessThan(30_000);
  operations = [];
});

it("has the user start the sandbox before it acts", async () => {
  running = false;
  await expect(invoke("functez_call", { url: "jstz://a/" })).rejects.toThrow("functez: Start Sandbox");
  await expect(invoke("functez_status", {})).resolves.toBeDefined();
  running = true;
});
