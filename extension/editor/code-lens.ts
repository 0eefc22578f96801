// "Deploy | Call" above the default export of a smart function.
import * as vscode from "vscode";
import { COMMANDS, SETTINGS } from "../ids.ts";

export const FUNCTION_LANGUAGES: vscode.DocumentSelector = ["javascript", "typescript"].map((language) => ({
  language,
  scheme: "file",
}));

/**
 * `export default function`, `export default (request) =>`, `export default handler`, `export { x as default }`. With
 * Bounded, because a hostile file may begin a thousand lists that never end.
 */
const DEFAULT_EXPORT =
  /^[ \t]{0,100}export[ \t]{1,100}(?:default\b|\{[^}]{0,2000}\bas[ \t]{1,100}default\b)/m;
/** No hand-written smart function is this large, and every keystroke scans the file. */
const MAX_LENGTH = 2_000_000;
/** Tests and configuration files have default exports too, but are not smart functions. */
const NOT_A_FUNCTION = /(\.(test|spec|config|stories)\.[cm]?[jt]sx?|\.d\.ts)$/;
/** Names that only request handlers use. */
const HANDLER = /\b(Request|Response|Kv|Ledger|SmartFunction|fetch)\b/;

/** Offset of the default export of a text that looks like a smart function, or undefined. */
export function handlerOffset(path: string, text: string): number | undefined {
  if (text.length > MAX_LENGTH || NOT_A_FUNCTION.test(path) || !HANDLER.test(text)) return undefined;
  return DEFAULT_EXPORT.exec(text)?.index;
}

export function createCodeLensProvider(): vscode.CodeLensProvider & vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const subscription = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(`${SETTINGS.section}.${SETTINGS.codeLens}`)) changed.fire();
  });
  return {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses(document) {
      if (!vscode.workspace.getConfiguration(SETTINGS.section).get(SETTINGS.codeLens, true)) return [];
      const offset = handlerOffset(document.uri.path, document.getText());
      if (offset === undefined) return [];
      const line = document.lineAt(document.positionAt(offset)).range;
      return [
        new vscode.CodeLens(line, {
          title: `$(cloud-upload) ${vscode.l10n.t("Deploy")}`,
          command: COMMANDS.deploy,
          arguments: [document.uri],
        }),
        new vscode.CodeLens(line, {
          title: `$(play) ${vscode.l10n.t("Call")}`,
          command: COMMANDS.call,
          arguments: [document.uri],
        }),
      ];
    },
    dispose() {
      subscription.dispose();
      changed.dispose();
    },
  };
}
