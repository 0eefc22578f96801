// The status bar item: shows the state, and opens the menu of actions.
import * as vscode from "vscode";
import { COMMANDS } from "./ids.ts";
import type { SandboxSession } from "./session/sandbox-session.ts";

export function createStatusBar(session: SandboxSession): vscode.Disposable {
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
        item.tooltip = vscode.l10n.t("The sandbox is running: {0}", state.sandbox.sandboxd);
        break;
      }
      case "failed":
        item.text = "$(error) functez";
        item.tooltip = state.message;
        item.backgroundColor = new vscode.ThemeColor("statusBarItem.errorBackground");
        break;
    }
    item.accessibilityInformation = { label: `functez, ${state.kind}` };
    item.show();
  }
  update();
  const subscription = session.onChange((change) => {
    if (change === "state" || change === "head") update();
  });
  return vscode.Disposable.from(item, subscription);
}
