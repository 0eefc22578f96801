// The status bar item: shows the state, and opens the menu of actions.
import * as vscode from "vscode";
import { COMMANDS } from "./ids.ts";
import { SETTINGS } from "./ids.ts";
import type { SandboxSession } from "./session/sandbox-session.ts";
import { readSettings } from "./session/settings.ts";

/** @returns its text, and what removes it */
export function createStatusBar(session: SandboxSession): { readonly text: string } & vscode.Disposable {
  const item = vscode.window.createStatusBarItem("functez.status", vscode.StatusBarAlignment.Left, 0);
  item.name = "functez";
  item.command = COMMANDS.menu;

  function update(): void {
    const { state } = session;
    item.backgroundColor = undefined;
    switch (state.kind) {
      case "stopped":
        item.text = "$(circle-outline) functez";
        item.tooltip = vscode.l10n.t("The sandbox is stopped. Click for actions.");
        break;
      case "starting":
        item.text = "$(loading~spin) functez";
        item.tooltip = vscode.l10n.t("The sandbox is starting.");
        break;
      case "stopping":
        item.text = "$(loading~spin) functez";
        item.tooltip = vscode.l10n.t("The sandbox is stopping.");
        break;
      case "running": {
        const level = session.level === undefined ? "" : ` ${session.level}`;
        item.text = `$(pass-filled) functez${level}`;
        item.tooltip = vscode.l10n.t(
          "The sandbox is running: {0}. The number is the level of layer 1.",
          state.sandbox.sandboxd,
        );
        break;
      }
      case "failed":
        item.text = "$(error) functez";
        item.tooltip = state.message;
        item.backgroundColor = new vscode.ThemeColor("statusBarItem.errorBackground");
        break;
    }
    const { network } = readSettings();
    if (network !== "") {
      item.text += ` $(globe) ${network}`;
      item.tooltip = `${String(item.tooltip)}\n${vscode.l10n.t("Deploys and calls go to the network {0}.", network)}`;
    }
    item.accessibilityInformation = {
      label: [
        `functez, ${state.kind}`,
        ...(network === "" ? [] : [vscode.l10n.t("network {0}", network)]),
      ].join(", "),
    };
    item.show();
  }
  update();
  const subscription = session.onChange((change) => {
    if (change === "state" || change === "head") update();
  });
  const settings = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(`${SETTINGS.section}.${SETTINGS.network}`)) update();
  });
  return {
    get text() {
      return item.text;
    },
    dispose: () => vscode.Disposable.from(item, subscription, settings).dispose(),
  };
}
