// Type errors that the editor knows of a file: a deploy does not check types.
import * as vscode from "vscode";

/** Sources of the editor's own TypeScript support. */
const SOURCES = ["ts", "js"];

/** Errors of the editor's TypeScript support, in the order of lines. Only open files have them. */
export function typeErrorsOf(uri: vscode.Uri): vscode.Diagnostic[] {
  return vscode.languages
    .getDiagnostics(uri)
    .filter(
      ({ severity, source }) =>
        severity === vscode.DiagnosticSeverity.Error && SOURCES.includes(source ?? ""),
    )
    .sort((one, other) => one.range.start.line - other.range.start.line);
}
