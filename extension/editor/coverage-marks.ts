// Coverage in the editor: marks beside the lines that the kept operations ran, and those that they did not. The marks of
// a file go with its first change, since the lines are then others.
import * as vscode from "vscode";
import { showInformation } from "../messages.ts";
import { type SessionDependencies, ensureRunning } from "../session/dependencies.ts";
import { showFailure } from "../session/failures.ts";

interface Covered {
  readonly operations: number;
  readonly sources: readonly {
    readonly source: string;
    readonly lines: readonly { readonly line: number; readonly count: number }[];
  }[];
}

/** By line, from 1. */
type Lines = ReadonlyMap<number, number>;

const mark = (color: string): vscode.TextEditorDecorationType =>
  vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderStyle: "solid",
    borderWidth: "0 0 0 3px",
    borderColor: new vscode.ThemeColor(color),
    overviewRulerColor: new vscode.ThemeColor(color),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });

export class CoverageMarks implements vscode.Disposable {
  readonly #ran = mark("testing.iconPassed");
  readonly #missed = mark("testing.iconFailed");
  /** By path; undefined while nothing is shown. */
  #files: Map<string, Lines> | undefined;
  readonly #subscriptions = [
    this.#ran,
    this.#missed,
    vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0 && this.#files?.delete(document.uri.fsPath) === true) this.#draw();
    }),
  ];

  /** What is shown in a file. */
  linesOf(uri: vscode.Uri): Lines | undefined {
    return uri.scheme === "file" ? this.#files?.get(uri.fsPath) : undefined;
  }

  /** Shows the marks, or takes them away. */
  async toggle(dependencies: SessionDependencies): Promise<void> {
    if (this.#files !== undefined) {
      this.#files = undefined;
      return this.#draw();
    }
    if (!(await ensureRunning(dependencies))) return;
    const title = vscode.l10n.t("Coverage");
    try {
      const { operations, sources } = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Replaying the operations") },
        () => dependencies.cli.run<Covered>(["coverage"]),
      );
      this.#files = new Map(
        sources.map(({ source, lines }) => [source, new Map(lines.map(({ line, count }) => [line, count]))]),
      );
      this.#draw();
      if (sources.length === 0)
        await showInformation(vscode.l10n.t("No function with a source file is deployed."));
      else vscode.window.setStatusBarMessage(vscode.l10n.t("Coverage by {0} operations", operations), 10_000);
    } catch (error) {
      await showFailure(dependencies.log, title, error);
    }
  }

  #draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      const lines = [...(this.linesOf(document.uri) ?? [])].filter(([line]) => line <= document.lineCount);
      const marks = (wanted: boolean): vscode.DecorationOptions[] =>
        lines
          .filter(([, count]) => count > 0 === wanted)
          .map(([line, count]) => ({
            range: document.lineAt(line - 1).range,
            hoverMessage: wanted ? vscode.l10n.t("Ran {0} times", count) : vscode.l10n.t("Did not run"),
          }));
      editor.setDecorations(this.#ran, marks(true));
      editor.setDecorations(this.#missed, marks(false));
    }
  }

  dispose(): void {
    for (const each of this.#subscriptions) each.dispose();
  }
}
