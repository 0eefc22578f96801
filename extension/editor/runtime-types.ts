// Offers the types of the runtime's globals where TypeScript does not know them: a quick fix on `Kv`, `Ledger` and
// `SmartFunction`, and a command.
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { COMMANDS } from "../ids.ts";
import { showError, showInformation } from "../messages.ts";

/** TypeScript's "Cannot find name …", with and without a suggestion. */
const UNKNOWN_NAME: readonly unknown[] = [2304, 2552, 2580, 2583];
const GLOBALS = /'(Kv|Ledger|SmartFunction|KvValue)'/;
const FILE_NAME = "functez.d.ts";

/** True for a diagnostic that the types would fix. */
export function isMissingGlobal(diagnostic: { readonly code?: unknown; readonly message: string }): boolean {
  const { code } = diagnostic;
  const number = typeof code === "object" && code !== null ? (code as { value: unknown }).value : code;
  return UNKNOWN_NAME.includes(number) && GLOBALS.test(diagnostic.message);
}

export function createTypesQuickFix(): vscode.CodeActionProvider {
  return {
    provideCodeActions(document, _range, { diagnostics }) {
      const missing = diagnostics.filter(isMissingGlobal);
      if (missing.length === 0) return [];
      const action = new vscode.CodeAction(
        vscode.l10n.t("Add the types of smart functions ({0})", FILE_NAME),
        vscode.CodeActionKind.QuickFix,
      );
      action.diagnostics = missing;
      action.isPreferred = true;
      action.command = { command: COMMANDS.addTypes, title: action.title, arguments: [document.uri] };
      return [action];
    },
  };
}

/** Copies the types into the workspace folder of a file; keeps an existing file. */
export async function addTypes(
  context: vscode.ExtensionContext,
  near: vscode.Uri | undefined,
): Promise<void> {
  const file = near instanceof vscode.Uri ? near : vscode.window.activeTextEditor?.document.uri;
  const folder =
    (file && vscode.workspace.getWorkspaceFolder(file)) ?? vscode.workspace.workspaceFolders?.[0];
  if (!folder || folder.uri.scheme !== "file") {
    const open = vscode.l10n.t("Open Folder…");
    const answer = await showInformation(
      vscode.l10n.t("Open a folder first: the types are a file in it."),
      open,
    );
    if (answer === open) await vscode.commands.executeCommand("workbench.action.files.openFolder");
    return;
  }
  const target = join(folder.uri.fsPath, FILE_NAME);
  try {
    if (!existsSync(target)) copyFileSync(context.asAbsolutePath(join("types", "runtime.d.ts")), target);
  } catch (error) {
    const retry = vscode.l10n.t("Try Again");
    const answer = await showError(
      vscode.l10n.t("The types cannot be written: {0}", (error as Error).message),
      retry,
    );
    if (answer === retry) await addTypes(context, near);
    return;
  }
  await vscode.window.showTextDocument(vscode.Uri.file(target), { preview: true, preserveFocus: true });
}
