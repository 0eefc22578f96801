// Messages to the user. The editor turns `[text](command:…)` in them into links that run commands, and their text may
// come from a smart function; so every message goes through here and stays text.
import * as vscode from "vscode";
import { visible } from "../daemon/text/visible-text.ts";

type Show = typeof vscode.window.showInformationMessage;

/** The text without anything that the editor would treat as a link, or hide. */
export function withoutLinks(text: string): string {
  return visible(text).replaceAll("](", "] (");
}

/** Text of others for rows of a choice and for the status bar, where the editor draws icons for names in `$(…)`. */
export const withoutIcons = (text: string): string => visible(text).replaceAll("$(", "\\$(");

const asText =
  (show: () => Show): Show =>
  (text: string, ...rest: []) =>
    show()(withoutLinks(text), ...rest);

/** Like the functions of `vscode.window` with the same names. */
export const showInformation = asText(() => vscode.window.showInformationMessage);
export const showWarning = asText(() => vscode.window.showWarningMessage);
export const showError = asText(() => vscode.window.showErrorMessage);
