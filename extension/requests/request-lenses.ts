// "Send" above each request for a smart function, in the documents of functions and in the user's `.http` files.
import * as vscode from "vscode";
import { COMMANDS, SETTINGS } from "../ids.ts";
import { requestLines } from "./http-text.ts";

export const REQUEST_FILES: vscode.DocumentSelector = [{ language: "http" }, { pattern: "**/*.{http,rest}" }];

export function createRequestLenses(): vscode.CodeLensProvider {
  return {
    provideCodeLenses(document) {
      if (!vscode.workspace.getConfiguration(SETTINGS.section).get(SETTINGS.codeLens, true)) return [];
      return requestLines(document.getText()).flatMap((line) => {
        const range = document.lineAt(line).range;
        const lens = (title: string, command: string) =>
          new vscode.CodeLens(range, { title, command, arguments: [document.uri, line] });
        return [
          lens(`$(play) ${vscode.l10n.t("Send")}`, COMMANDS.sendRequest),
          lens(vscode.l10n.t("Copy As…"), COMMANDS.copyRequest),
        ];
      });
    },
  };
}
