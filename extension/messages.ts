// Messages to the user. The editor turns `[text](command:…)` in them into links that run commands, and what is shown
// may come from a smart function; so every message goes through here and is text.
import * as vscode from "vscode";

type Show = typeof vscode.window.showInformationMessage;

/** The text without what the editor would take for a link. */
export function withoutLinks(text: string): string {
  return text.replaceAll("](", "] (");
}

const asText =
  (show: () => Show): Show =>
  (text: string, ...rest: []) =>
    show()(withoutLinks(text), ...rest);

/** As the functions of `vscode.window` with the same names. */
export const showInformation = asText(() => vscode.window.showInformationMessage);
export const showWarning = asText(() => vscode.window.showWarningMessage);
export const showError = asText(() => vscode.window.showErrorMessage);
