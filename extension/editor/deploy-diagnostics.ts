// Failures of deploys that lie in the code, at their places: all that the bundler names, in whichever file they are. They
// go with the next deploy of the file, when it is saved or closed, and when the sandbox ends.
import { dirname, resolve } from "node:path";
import * as vscode from "vscode";
import { type ErrorCode, isError, SandboxError } from "../../daemon/protocol/errors.ts";
import { isObject } from "../../daemon/tezos/json-fields.ts";
import { handlerOffset } from "./code-lens.ts";

/** Failures that are about the code; a network that does not answer is none of it. */
const ABOUT_CODE: readonly ErrorCode[] = ["BUILD_FAILED", "DEPLOY_FAILED", "CHECK_FAILED"];
const MAX_PLACES = 50;

export interface Place {
  /** Absolute, or relative to the folder of the deployed file. */
  readonly file: string;
  /** From 0. */
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** The places that an error names in its data: those of a bundler, which may be the project's own, or of the check. */
export function placesOf(error: SandboxError): readonly Place[] {
  if (isError(error, "BUILD_FAILED"))
    return listOf(error.data.errors).flatMap(({ text, location }) => placeOf(location, text, 0));
  if (isError(error, "CHECK_FAILED"))
    return listOf(error.data.places).flatMap((place) => placeOf(place, place["message"], 1));
  return [];
}

const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isObject).slice(0, MAX_PLACES) : [];

/** @param firstColumn number of the first column; lines count from 1 */
function placeOf(place: unknown, text: unknown, firstColumn: number): Place[] {
  if (!isObject(place) || typeof text !== "string") return [];
  const { file, line, column } = place;
  if (typeof file !== "string" || typeof line !== "number" || typeof column !== "number") return [];
  return [{ file, text, line: Math.max(0, line - 1), column: Math.max(0, column - firstColumn) }];
}

export class DeployDiagnostics {
  readonly #collection = vscode.languages.createDiagnosticCollection("functez");
  /** Files with diagnostics, by the deployed document. */
  readonly #files = new Map<string, readonly vscode.Uri[]>();

  /** Shows a failure; one that is not about the code shows nothing here. */
  show(document: vscode.TextDocument, error: unknown): void {
    this.clear(document.uri);
    if (!(error instanceof SandboxError) || !ABOUT_CODE.includes(error.code)) return;
    const places = placesOf(error);
    const byFile = new Map<string, vscode.Diagnostic[]>();
    const add = (file: string, range: vscode.Range, text: string): void => {
      const diagnostic = new vscode.Diagnostic(range, text, vscode.DiagnosticSeverity.Error);
      diagnostic.source = "functez";
      diagnostic.code = error.code;
      byFile.set(file, [...(byFile.get(file) ?? []), diagnostic]);
    };
    const own = document.uri.fsPath;
    for (const { file, line, column, text } of places) {
      const path = resolve(dirname(own), file);
      const start = new vscode.Position(line, column);
      add(path, path === own ? rangeAt(document, start) : new vscode.Range(start, start), text);
    }
    if (places.length === 0) {
      const handler = handlerOffset(document.uri.path, document.getText()) ?? 0;
      add(own, rangeAt(document, document.positionAt(handler)), error.message);
    }
    const uris = [...byFile].map(([path, all]) => {
      const uri = path === own ? document.uri : vscode.Uri.file(path);
      this.#collection.set(uri, all);
      return uri;
    });
    this.#files.set(document.uri.toString(), uris);
  }

  /** Goes to the first place of the last failure of any file. */
  async reveal(): Promise<void> {
    const uri = [...this.#files.values()].at(-1)?.[0];
    const range = uri && this.#collection.get(uri)?.[0]?.range;
    if (!uri || !range) return;
    const editor = await vscode.window.showTextDocument(uri);
    editor.selection = new vscode.Selection(range.start, range.end);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  clear(uri: vscode.Uri): void {
    for (const file of this.#files.get(uri.toString()) ?? []) this.#collection.delete(file);
    this.#files.delete(uri.toString());
  }

  clearAll(): void {
    this.#collection.clear();
    this.#files.clear();
  }

  dispose(): void {
    this.#collection.dispose();
  }
}

/** The word at a position, or the rest of its line. */
function rangeAt(document: vscode.TextDocument, start: vscode.Position): vscode.Range {
  const line = document.lineAt(Math.min(start.line, document.lineCount - 1)).range;
  const inside = start.isBefore(line.end) && start.line < document.lineCount;
  return document.getWordRangeAtPosition(start) ?? (inside ? new vscode.Range(start, line.end) : line);
}
