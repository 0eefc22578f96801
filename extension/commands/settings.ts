// Opens the settings and the configuration file.
import * as vscode from "vscode";
import { EXTENSION_ID, SETTINGS } from "../ids.ts";
import { readSettings } from "../session/settings.ts";

/** @param setting key of one setting, without our prefix; all of ours by default */
export async function openSettings(setting?: string): Promise<void> {
  const query = setting === undefined ? `@ext:${EXTENSION_ID}` : `${SETTINGS.section}.${setting}`;
  // Settings of the machine are those of the remote one in a remote window.
  const isRemote = vscode.env.remoteName !== undefined;
  const command = isRemote ? "workbench.action.openRemoteSettings" : "workbench.action.openSettings";
  await vscode.commands.executeCommand(command, isRemote ? { query } : query);
}

/** Opens the configuration file of sandboxd. @param place line and column from 1 */
export async function openConfigFile(file: string, place?: { line: number; column: number }): Promise<void> {
  if (readSettings().configFile === "") {
    await openSettings(); // the file is generated from the settings: correct those
    return;
  }
  try {
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(file));
    if (place) {
      const position = new vscode.Position(place.line - 1, place.column - 1);
      editor.selection = new vscode.Selection(position, position);
      editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenter);
    }
  } catch {
    await openSettings(); // no such file: correct the setting that names it
  }
}
