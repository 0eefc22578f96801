// Checks smart functions with `functez check` when they are saved: shows what the real runtime does differently as
// problems, with quick fixes.
import { dirname } from "node:path";
import * as vscode from "vscode";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { COMMANDS, SETTINGS } from "../ids.ts";
import type { Cli } from "../session/cli.ts";
import { handlerOffset } from "./code-lens.ts";

/** A finding as `functez --json check` prints it. */
interface Finding {
  readonly code: string;
  readonly severity: "error" | "warning" | "note";
  readonly message: string;
  readonly place?: {
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly endColumn: number;
  };
  readonly replacement?: string;
}

export interface CheckResult {
  readonly files: readonly { readonly findings: readonly Finding[] }[];
}

/** A problem of a file, with the text that removes it, if there is one. */
interface Problem {
  readonly diagnostic: vscode.Diagnostic;
  readonly replacement: string | undefined;
}

const SOURCE = "functez check";

/** In the sandbox everything works: what fails elsewhere is a warning here, and the fixed date no more than a hint. */
const SEVERITIES = {
  error: () => vscode.DiagnosticSeverity.Warning,
  warning: () => vscode.DiagnosticSeverity.Information,
  note: () => vscode.DiagnosticSeverity.Hint,
} as const;

/** Problems by file; those without a place are shown at the handler of the checked file. */
function problemsOf(
  { files }: CheckResult,
  checked: string,
  handler: vscode.Position,
): ReadonlyMap<string, readonly Problem[]> {
  const problems = new Map<string, Problem[]>();
  for (const { code, severity, message, place, replacement } of files.flatMap(({ findings }) => findings)) {
    const range =
      place === undefined
        ? new vscode.Range(handler, handler)
        : new vscode.Range(place.line - 1, place.column - 1, place.line - 1, place.endColumn - 1);
    const diagnostic = new vscode.Diagnostic(range, message, SEVERITIES[severity]());
    diagnostic.source = SOURCE;
    diagnostic.code = code;
    const file = place?.file ?? checked;
    problems.set(file, [...(problems.get(file) ?? []), { diagnostic, replacement }]);
  }
  return problems;
}

export interface FunctionChecks extends vscode.Disposable, vscode.CodeActionProvider {
  /** Checks a saved document if it is a smart function and the user wants it. */
  check(document: vscode.TextDocument): Promise<void>;
  /** Forgets what was found by checking a document. */
  forget(document: Pick<vscode.TextDocument, "uri">): void;
  /** Forgets everything, when the setting is off. */
  settingsChanged(): void;
}

const isWanted = (): boolean =>
  vscode.workspace.isTrusted && // bundling runs the project's own bundler
  vscode.workspace.getConfiguration(SETTINGS.section).get(SETTINGS.checkOnSave, true);

export function createFunctionChecks(cli: Cli, log: Pick<vscode.LogOutputChannel, "debug">): FunctionChecks {
  const shown = vscode.languages.createDiagnosticCollection("functez-check");
  /** Problems by the file that was checked, and by the file they are in. */
  const found = new Map<string, ReadonlyMap<string, readonly Problem[]>>();
  const running = new Map<string, AbortController>();

  /** Several functions may import a file: it shows the problems that any of them has there. */
  function show(file: string): void {
    const problems = [...found.values()].flatMap((files) => files.get(file) ?? []);
    const unique = new Map(problems.map(({ diagnostic }) => [keyOf(diagnostic), diagnostic]));
    shown.set(vscode.Uri.file(file), [...unique.values()]);
  }

  function replace(checked: string, problems: ReadonlyMap<string, readonly Problem[]> | undefined): void {
    const before = found.get(checked);
    if (problems === undefined) found.delete(checked);
    else found.set(checked, problems);
    for (const file of new Set([...(before?.keys() ?? []), ...(problems?.keys() ?? [])])) show(file);
  }

  const checks: FunctionChecks = {
    async check(document) {
      const path = document.uri.fsPath;
      running.get(path)?.abort(); // of an earlier save
      const offset = handlerOffset(document.uri.path, document.getText());
      if (document.uri.scheme !== "file" || offset === undefined || !isWanted())
        return replace(path, undefined);
      const stop = new AbortController();
      running.set(path, stop);
      try {
        const result = await cli.run<CheckResult>(["check", path], {
          signal: stop.signal,
          cwd: dirname(path),
        });
        replace(path, problemsOf(result, path, document.positionAt(offset)));
      } catch (error) {
        if (stop.signal.aborted) return;
        // What does not compile is shown by the language's own extension, and by a deploy.
        if (!(error instanceof SandboxError)) throw error;
        log.debug(`check: ${error.code}: ${error.message}`);
        replace(path, undefined);
      } finally {
        if (running.get(path) === stop) running.delete(path);
      }
    },
    forget({ uri }) {
      running.get(uri.fsPath)?.abort();
      replace(uri.fsPath, undefined);
    },
    settingsChanged() {
      if (isWanted()) return;
      for (const stop of running.values()) stop.abort();
      for (const checked of [...found.keys()]) replace(checked, undefined);
    },
    provideCodeActions(document, _range, { diagnostics }) {
      const own = [...found.values()].flatMap((files) => files.get(document.uri.fsPath) ?? []);
      return diagnostics.flatMap((diagnostic) => {
        if (diagnostic.source !== SOURCE) return [];
        const problem = own.find((one) => keyOf(one.diagnostic) === keyOf(diagnostic));
        if (problem?.replacement === undefined) return [turnOff(diagnostic)];
        return [replacing(document.uri, diagnostic, problem.replacement), turnOff(diagnostic)];
      });
    },
    dispose() {
      for (const stop of running.values()) stop.abort();
      shown.dispose();
    },
  };
  return checks;
}

const keyOf = ({ code, range: { start, end } }: vscode.Diagnostic): string =>
  [code, start.line, start.character, end.character].map(String).join(" ");

function replacing(uri: vscode.Uri, diagnostic: vscode.Diagnostic, text: string): vscode.CodeAction {
  const action = new vscode.CodeAction(
    vscode.l10n.t("Use {0}, which both runtimes have", text),
    vscode.CodeActionKind.QuickFix,
  );
  action.edit = new vscode.WorkspaceEdit();
  action.edit.replace(uri, diagnostic.range, text);
  action.diagnostics = [diagnostic];
  action.isPreferred = true;
  return action;
}

function turnOff(diagnostic: vscode.Diagnostic): vscode.CodeAction {
  const title = vscode.l10n.t("Change the setting for checks against the real runtime…");
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.command = { command: COMMANDS.openSettings, title };
  action.diagnostics = [diagnostic];
  return action;
}
