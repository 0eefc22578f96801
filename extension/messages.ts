// Messages to the user. The editor turns `[text](command:…)` in them into links that run commands, and their text may
// come from a smart function; so every message goes through here and stays text.
import * as vscode from "vscode";
import { visible } from "../daemon/text/visible-text.ts";

type Show = typeof vscode.window.showInformationMessage;

/** The text without anything that the editor would treat as a link, or hide. */
export function withoutLinks(text: string): string {
  return visible(text).replaceAll("](", "] (");
}

/** Text of others for rows of a choice, lenses and the status bar, where the editor draws icons for names in `$(…)`. */
export const withoutIcons = (text: string): string => visible(text).replaceAll("$(", "\\$(");

const asText =
  (show: () => Show): Show =>
  (text: string, ...rest: []) =>
    show()(withoutLinks(text), ...rest);

/** Like the functions of `vscode.window` with the same names. */
export const showInformation = asText(() => vscode.window.showInformationMessage);
export const showWarning = asText(() => vscode.window.showWarningMessage);
export const showError = asText(() => vscode.window.showErrorMessage);

/** An input box whose `validateInput` answers at once, with a text. */
interface TextInput extends vscode.InputBoxOptions {
  validateInput?(typed: string): string | undefined;
}

/** Like `vscode.window.showInputBox`. The editor makes links and icons of the prompt and of what is wrong with a text. */
export function showInput({
  title,
  prompt,
  validateInput,
  ...options
}: TextInput): Thenable<string | undefined> {
  const plain = (text: string): string => withoutIcons(withoutLinks(text));
  return vscode.window.showInputBox({
    ...options,
    ...(title === undefined ? {} : { title: visible(title) }),
    ...(prompt === undefined ? {} : { prompt: plain(prompt) }),
    ...(validateInput === undefined
      ? {}
      : {
          validateInput(typed) {
            const wrong = validateInput(typed);
            return wrong === undefined ? undefined : plain(wrong);
          },
        }),
  });
}
