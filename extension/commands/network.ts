// The choice of a network.
import * as vscode from "vscode";
import { SETTINGS } from "../ids.ts";
import { showFailure } from "../session/failures.ts";
import { readSettings } from "../session/settings.ts";
import type { CommandDependencies } from "./dependencies.ts";

/** The network for deploys and calls; empty means the sandbox. */
export async function chooseNetwork({ cli, log }: CommandDependencies): Promise<void> {
  try {
    const { networks } = await cli.run<{ networks: { name: string; jstzNodeEndpoint: string | null }[] }>([
      "network",
      "list",
    ]);
    const items = networks.map(({ name, jstzNodeEndpoint }) => ({
      label: name,
      description: [
        jstzNodeEndpoint ?? vscode.l10n.t("the local sandbox"),
        ...(name === (readSettings().network || "dev") ? [vscode.l10n.t("in use")] : []),
      ].join(" · "),
    }));
    const chosen = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t("Choose Network"),
      placeHolder: vscode.l10n.t("Add others in a terminal: functez network add"),
    });
    if (!chosen) return;
    await vscode.workspace
      .getConfiguration(SETTINGS.section)
      .update(
        SETTINGS.network,
        chosen.label === "dev" ? "" : chosen.label,
        vscode.ConfigurationTarget.Global,
      );
  } catch (error) {
    await showFailure(log, vscode.l10n.t("Choose Network"), error);
  }
}
