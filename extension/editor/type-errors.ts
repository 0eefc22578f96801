// Type errors that the editor knows of a file: a deploy does not check types.
import * as vscode from "vscode";

/** Sources of the editor's own TypeScript support. */
const SOURCES = ["ts", "js"];

/** Codes of the TypeScript compiler below this are errors of syntax. */
const FIRST_TYPE_ERROR = 2_000;

/**
 * Type errors of the editor's TypeScript support, in the order of lines; none for a file with errors of syntax, which the
 * deploy itself reports. Only open files have them.
 */
export function typeErrorsOf(uri: vscode.Uri): vscode.Diagnostic[] {
  const errors = vscode.languages
    .getDiagnostics(uri)
    .filter(
      ({ severity, source }) =>
        severity === vscode.DiagnosticSeverity.Error && SOURCES.includes(source ?? ""),
    );
  if (errors.some(({ code }) => Number(code) < FIRST_TYPE_ERROR)) return [];
  return errors.sort((one, other) => one.range.start.line - other.range.start.line);
}
