// New smart functions: from a short beginning, or from an example of the extension. Both open as unsaved documents, so that
// nothing is written before the user saves or deploys.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { NEW_FUNCTION } from "../../daemon/protocol/new-function.ts";
import { fileExists } from "../editor/file-exists.ts";
import { askText, invalidAlias } from "./choose.ts";

/** @param name without the ending; asked for when missing */
export async function newFunction(name?: string): Promise<void> {
  const chosen =
    name ??
    (await askText({
      title: vscode.l10n.t("New Smart Function"),
      prompt: vscode.l10n.t("Name of the file, and alias of the function"),
      placeHolder: "counter",
      check: invalidAlias,
    }));
  if (chosen !== undefined) await openUnsaved(chosen, NEW_FUNCTION);
}

/** @param name of the example; asked for when missing */
export async function openExample(context: vscode.ExtensionContext, name?: string): Promise<void> {
  const folder = context.asAbsolutePath("examples");
  const items = readdirSync(folder)
    .sort()
    .map((label) => {
      const source = readFileSync(join(folder, label, "index.ts"), "utf8");
      return { label, detail: firstSentence(source), source };
    });
  const chosen =
    items.find(({ label }) => label === name) ??
    (await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t("Open Example"),
      placeHolder: vscode.l10n.t("Opens as a new document, which you may change and deploy"),
      matchOnDetail: true,
    }));
  if (chosen) await openUnsaved(chosen.label, chosen.source);
}

/** The first sentence of the comment at the beginning of a source. */
export function firstSentence(source: string): string {
  const comment = /^(?:\/\/.*\n)+/.exec(source)?.[0] ?? "";
  const text = comment
    .replace(/^\/\/ ?/gm, "")
    .replaceAll("\n", " ")
    .trim();
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

/** A document that has its name already, in the first folder of the workspace, unless such a file exists. */
async function openUnsaved(name: string, content: string): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const file = folder?.scheme === "file" ? vscode.Uri.joinPath(folder, `${name}.ts`) : undefined;
  if (file === undefined || (await fileExists(file))) {
    const document = await vscode.workspace.openTextDocument({ language: "typescript", content });
    await vscode.window.showTextDocument(document);
    return;
  }
  const document = await vscode.workspace.openTextDocument(file.with({ scheme: "untitled" }));
  const editor = await vscode.window.showTextDocument(document);
  // A document of this name may be open already, with the user's own text.
  if (document.getText() === "") await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), content));
}
