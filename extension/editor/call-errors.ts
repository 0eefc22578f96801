// The error of the last call from this window, at its place in the source. It goes with the next call, with a change of
// its file, and with the sandbox.
import * as vscode from "vscode";
import type { OperationTrace } from "../../daemon/protocol/call-trace.ts";
import { failedCall } from "../../daemon/protocol/operation-outcome.ts";
import type { SourceLinks } from "./source-links.ts";

/** Longer messages are in the call tree. */
const MAX_MESSAGE = 2_000;

export type ErrorPlace = NonNullable<ReturnType<SourceLinks["firstPlace"]>>;

export class CallErrors implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection("functez calls");
  readonly #links: SourceLinks;
  readonly #subscription: vscode.Disposable;

  constructor(links: SourceLinks) {
    this.#links = links;
    this.#subscription = vscode.workspace.onDidChangeTextDocument(({ document }) =>
      this.#collection.delete(document.uri),
    );
  }

  /** Marks the place where an operation failed. @returns it, if it is in a file of the workspace */
  async show(trace: OperationTrace | undefined): Promise<ErrorPlace | undefined> {
    this.clear();
    const message = trace?.trace && failedCall(trace.trace.call)?.error?.message;
    if (!message) return undefined;
    const text = await this.#links.inSources(message);
    const place = this.#links.firstPlace(text);
    if (!place) return undefined;
    const diagnostic = new vscode.Diagnostic(
      place.range,
      text.slice(0, MAX_MESSAGE),
      vscode.DiagnosticSeverity.Error,
    );
    diagnostic.source = "functez";
    this.#collection.set(place.uri, [diagnostic]);
    return place;
  }

  clear(): void {
    this.#collection.clear();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#collection.dispose();
  }
}
