// "Deploy | Call | Debug" above the default export of a smart function.
import * as vscode from "vscode";
import { COMMANDS, SCHEMES, SETTINGS } from "../ids.ts";
import { type DeployedFiles, digestOf, placeOfDeploys } from "../session/deployed-files.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";

export const FUNCTION_LANGUAGES: vscode.DocumentSelector = ["javascript", "typescript"].flatMap((language) =>
  ["file", "untitled"].map((scheme) => ({ language, scheme })),
);

/**
 * `export default function`, `export default (request) =>`, `export default handler`, `export { x as default }`. With
 * Bounded, because a hostile file may begin a thousand lists that never end.
 */
const DEFAULT_EXPORT =
  /^[ \t]{0,100}export[ \t]{1,100}(?:default\b|\{[^{}]{0,2000}\bas[ \t]{1,100}default\b)/m;
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

interface LensSources {
  readonly files: DeployedFiles;
  readonly session: Pick<SandboxSession, "sandbox" | "onChange">;
  readonly networkArguments: () => readonly string[];
}

export function createCodeLensProvider({
  files,
  session,
  networkArguments,
}: LensSources): vscode.CodeLensProvider & vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const subscription = vscode.Disposable.from(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (
        [SETTINGS.codeLens, SETTINGS.network].some((key) =>
          event.affectsConfiguration(`${SETTINGS.section}.${key}`),
        )
      )
        changed.fire();
    }),
    files.onChange(() => changed.fire()),
    session.onChange((change) => {
      if (change === "state") changed.fire();
    }),
  );
  return {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses(document) {
      if (!vscode.workspace.getConfiguration(SETTINGS.section).get(SETTINGS.codeLens, true)) return [];
      const offset = handlerOffset(document.uri.path, document.getText());
      if (offset === undefined) return [];
      const line = document.lineAt(document.positionAt(offset)).range;
      const file = files.of(document.uri.toString());
      const place = placeOfDeploys(session.sandbox?.pid, networkArguments());
      const deployed = file && place !== "" && file.place === place ? file : undefined;
      const network = networkArguments().at(-1);
      const to = network === undefined ? "" : ` ${vscode.l10n.t("to {0}", network)}`;
      const isChanged = deployed && deployed.digest !== digestOf(document.getText());
      return [
        new vscode.CodeLens(line, {
          title: `$(cloud-upload) ${deployed ? vscode.l10n.t("Redeploy") : vscode.l10n.t("Deploy")}${to}`,
          command: COMMANDS.deploy,
          arguments: [document.uri],
        }),
        new vscode.CodeLens(line, {
          title: `$(play) ${vscode.l10n.t("Call")}`,
          command: COMMANDS.call,
          arguments: [document.uri],
        }),
        // Only the sandbox records.
        ...(network === undefined
          ? [
              new vscode.CodeLens(line, {
                title: `$(debug-alt) ${vscode.l10n.t("Debug")}`,
                command: COMMANDS.debugCall,
                arguments: [document.uri],
              }),
            ]
          : []),
        ...(deployed
          ? [
              new vscode.CodeLens(line, {
                title: [
                  deployed.alias,
                  `${deployed.address.slice(0, 8)}…`,
                  ...(isChanged ? [vscode.l10n.t("changed since")] : []),
                ].join(" · "),
                tooltip: vscode.l10n.t("The deployed code of {0}", deployed.address),
                command: COMMANDS.showCode,
                arguments: [
                  vscode.Uri.from({
                    scheme: SCHEMES.code,
                    path: `/${deployed.address}/${deployed.alias}.js`,
                  }),
                ],
              }),
            ]
          : []),
      ];
    },
    dispose() {
      subscription.dispose();
      changed.dispose();
    },
  };
}
