// The menu behind the status bar item.
import * as vscode from "vscode";
import { COMMANDS } from "../ids.ts";
import type { CommandDependencies } from "./dependencies.ts";

/** Offers the actions that are available now. */
export async function showMenu({ session }: CommandDependencies): Promise<void> {
  const running = session.sandbox !== undefined;
  const entry = (icon: string, label: string, command: string) => ({ label: `$(${icon}) ${label}`, command });
  const items = running
    ? [
        entry("arrow-down", vscode.l10n.t("Deposit…"), COMMANDS.deposit),
        entry("arrow-up", vscode.l10n.t("Withdraw…"), COMMANDS.withdraw),
        entry("cloud-upload", vscode.l10n.t("Deploy Smart Function…"), COMMANDS.deploy),
        entry("cloud-upload", vscode.l10n.t("Redeploy All"), COMMANDS.redeployAll),
        entry("new-file", vscode.l10n.t("New Smart Function…"), COMMANDS.newFunction),
        entry("play", vscode.l10n.t("Call Smart Function…"), COMMANDS.call),
        entry("person-add", vscode.l10n.t("Create Account…"), COMMANDS.createAccount),
        entry("terminal", vscode.l10n.t("Open Terminal"), COMMANDS.openTerminal),
        entry("globe", vscode.l10n.t("Open Explorer"), COMMANDS.openExplorer),
        entry("copy", vscode.l10n.t("Copy Endpoint…"), COMMANDS.copyEndpoint),
        entry("output", vscode.l10n.t("Show Log"), COMMANDS.showLog),
        entry("layers", vscode.l10n.t("Bake Block"), COMMANDS.bakeBlock),
        entry("device-camera", vscode.l10n.t("Take Snapshot…"), COMMANDS.takeSnapshot),
        entry("globe", vscode.l10n.t("Choose Network…"), COMMANDS.chooseNetwork),
        entry("settings-gear", vscode.l10n.t("Open Settings"), COMMANDS.openSettings),
        entry("book", vscode.l10n.t("Open Walkthrough"), COMMANDS.openWalkthrough),
        entry("debug-restart", vscode.l10n.t("Restart Sandbox…"), COMMANDS.restart),
        entry("debug-stop", vscode.l10n.t("Stop Sandbox"), COMMANDS.stop),
      ]
    : [
        entry("play", vscode.l10n.t("Start Sandbox"), COMMANDS.start),
        entry("output", vscode.l10n.t("Show Log"), COMMANDS.showLog),
        entry("book", vscode.l10n.t("Open Walkthrough"), COMMANDS.openWalkthrough),
        entry("settings-gear", vscode.l10n.t("Open Settings"), COMMANDS.openSettings),
      ];
  const chosen = await vscode.window.showQuickPick(items, { title: "functez" });
  if (chosen) await vscode.commands.executeCommand(chosen.command);
}
