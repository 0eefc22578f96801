import { beforeEach, expect, it, vi } from "vitest";
import * as vscode from "vscode";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { shownDiagnostics } from "../../test/support/fake-vscode.ts";
import type { Cli } from "../session/cli.ts";
import { type CheckResult, createFunctionChecks, type FunctionChecks } from "./function-checks.ts";

const CODE = "export default (request: Request) => new Response(String(Kv.has(request.url)));";
const FOUND: CheckResult = {
  files: [
    {
      findings: [
        {
          code: "KV_HAS",
          severity: "error",
          message: "Use Kv.contains.",
          place: { file: "/a/index.ts", line: 1, column: 61, endColumn: 64 },
          replacement: "contains",
        },
        {
          code: "MISSING_GLOBAL",
          severity: "warning",
          message: "crypto",
          place: { file: "/a/store.ts", line: 3, column: 2, endColumn: 8 },
        },
        { code: "NO_HANDLER", severity: "note", message: "nothing" },
      ],
    },
  ],
};

const documentAt = (path: string, text = CODE): vscode.TextDocument =>
  ({
    uri: vscode.Uri.file(path),
    getText: () => text,
    positionAt: (offset: number) => new vscode.Position(0, offset),
  }) as unknown as vscode.TextDocument;
const index = documentAt("/a/index.ts");
const codesIn = (path: string) => shownDiagnostics.get(path)?.map(({ code, severity }) => [code, severity]);

const run = vi.fn<(args: readonly string[], options?: { signal?: AbortSignal }) => Promise<CheckResult>>();
let checks: FunctionChecks;
beforeEach(() => {
  vi.restoreAllMocks();
  shownDiagnostics.clear();
  run.mockReset().mockResolvedValue(FOUND);
  checks = createFunctionChecks({ run } as unknown as Cli, { debug: () => undefined });
});

it("shows what was found in each file, as warnings, hints and at the handler", async () => {
  await checks.check(index);
  expect(run.mock.calls[0]?.[0]).toEqual(["check", "/a/index.ts"]);
  expect(codesIn("/a/index.ts")).toEqual([
    ["KV_HAS", vscode.DiagnosticSeverity.Warning],
    ["NO_HANDLER", vscode.DiagnosticSeverity.Hint],
  ]);
  expect(codesIn("/a/store.ts")).toEqual([["MISSING_GLOBAL", vscode.DiagnosticSeverity.Information]]);
  const [first] = shownDiagnostics.get("/a/index.ts") ?? [];
  expect(first).toMatchObject({
    source: "functez check",
    range: { start: { line: 0, character: 60 }, end: { line: 0, character: 63 } },
  });
});

it("forgets them when the file is right again, is closed, or does not compile", async () => {
  for (const change of [
    () => checks.check(index),
    () => checks.forget(index),
    async () => {
      run.mockRejectedValue(new SandboxError("BUILD_FAILED", { file: "index.ts", reason: "no" }));
      await checks.check(index);
    },
  ]) {
    run.mockResolvedValueOnce(FOUND).mockResolvedValueOnce({ files: [] });
    await checks.check(index);
    expect(codesIn("/a/store.ts")).toHaveLength(1);
    await Promise.resolve(change());
    expect([codesIn("/a/index.ts"), codesIn("/a/store.ts")]).toEqual([[], []]);
    run.mockReset().mockResolvedValue(FOUND);
  }
});

it("shows a problem of a shared file once, until no function has it", async () => {
  await checks.check(index);
  await checks.check(documentAt("/a/other.ts"));
  expect(codesIn("/a/store.ts")).toHaveLength(1);
  checks.forget(index);
  expect(codesIn("/a/store.ts")).toHaveLength(1);
  checks.forget({ uri: vscode.Uri.file("/a/other.ts") });
  expect(codesIn("/a/store.ts")).toHaveLength(0);
});

it("keeps the outcome of the newest save", async () => {
  let finishFirst: (result: CheckResult) => void = () => undefined;
  run.mockImplementationOnce(
    (_args, options) =>
      new Promise((resolve, reject) => {
        finishFirst = resolve;
        options?.signal?.addEventListener("abort", () => reject(new SandboxError("CANCELLED")));
      }),
  );
  const first = checks.check(index);
  run.mockResolvedValueOnce({ files: [] });
  await checks.check(index);
  finishFirst(FOUND);
  await first;
  expect(codesIn("/a/index.ts")).toBeUndefined();
});

it("checks smart functions only, in trusted workspaces, if the setting is on", async () => {
  await checks.check(documentAt("/a/part.ts", "export const a = 1;"));
  await checks.check(documentAt("/a/index.test.ts"));
  const setting = vi.spyOn(vscode.workspace, "getConfiguration");
  setting.mockReturnValue({ get: () => false } as never);
  await checks.check(index);
  setting.mockRestore();
  Object.assign(vscode.workspace, { isTrusted: false });
  await checks.check(index);
  Object.assign(vscode.workspace, { isTrusted: true });
  expect(run).not.toHaveBeenCalled();
  await checks.check(index);
  vi.spyOn(vscode.workspace, "getConfiguration").mockReturnValue({ get: () => false } as never);
  checks.settingsChanged();
  expect(codesIn("/a/index.ts")).toEqual([]);
});

it("offers to write what both runtimes have, also for a copy of the problem, as the editor passes it", async () => {
  await checks.check(index);
  const copies = shownDiagnostics.get("/a/index.ts")!.map((one) => ({ ...one }));
  const foreign = { ...copies[0], source: "ts" };
  const actions = (await checks.provideCodeActions(
    index,
    undefined as never,
    { diagnostics: [...copies, foreign] } as never,
    undefined as never,
  )) as vscode.CodeAction[];
  expect(actions.map(({ title, isPreferred }) => [title, isPreferred])).toEqual([
    ["Use contains, which both runtimes have", true],
    ["Change the setting for checks against the real runtime…", undefined],
    ["Change the setting for checks against the real runtime…", undefined],
  ]);
  expect(actions[0]?.edit).toMatchObject({
    replaced: [{ text: "contains", range: { start: { character: 60 }, end: { character: 63 } } }],
  });
});
