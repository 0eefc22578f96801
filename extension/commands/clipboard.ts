// Copies endpoints, addresses, hashes and URLs.
import * as vscode from "vscode";
import { withoutIcons } from "../messages.ts";
import { ensureRunning } from "../session/dependencies.ts";
import type { CommandDependencies } from "./dependencies.ts";

/** Copies the value of a node, or asks which endpoint to copy. */
export async function copyValue(dependencies: CommandDependencies, argument?: unknown): Promise<void> {
  let value = (argument as { value?: string } | undefined)?.value;
  if (value === undefined) {
    if (!(await ensureRunning(dependencies))) return;
    const { sandbox } = dependencies.session;
    const items = sandbox
      ? [
          { label: "runtime_node", description: sandbox.runtime },
          { label: "layer1_node", description: sandbox.layer1 },
          { label: "sandboxd", description: sandbox.sandboxd },
        ]
      : [];
    value = (await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Copy Endpoint") }))
      ?.description;
  }
  if (value === undefined) return;
  const copied = await chosenAddress(value);
  if (copied === undefined) return;
  await vscode.env.clipboard.writeText(copied);
  vscode.window.setStatusBarMessage(vscode.l10n.t("Copied {0}", withoutIcons(copied)), 3000);
}

/**
 * In a remote window an endpoint has two addresses: its own for programs beside the sandbox, and a forwarded one for those
 * beside the user, who chooses. Undefined: the user cancelled.
 */
async function chosenAddress(value: string): Promise<string | undefined> {
  if (!value.startsWith("http://") || vscode.env.remoteName === undefined) return value;
  const outside = await vscode.env.asExternalUri(vscode.Uri.parse(value));
  const forwarded = outside.toString(true).replace(/\/$/, "");
  if (forwarded === value) return value;
  const chosen = await vscode.window.showQuickPick(
    [
      {
        label: value,
        description: vscode.l10n.t("for programs on the remote machine, such as the terminal"),
      },
      { label: forwarded, description: vscode.l10n.t("for your browser") },
    ],
    { title: vscode.l10n.t("Copy Endpoint") },
  );
  return chosen?.label;
}

/** Copies the URL of a function, which works in `fetch` too: by address. @param node of the function */
export async function copyUrl(node: unknown): Promise<void> {
  const { value } = (node ?? {}) as { value?: string };
  if (value === undefined) return;
  const url = `jstz://${value}/`;
  await vscode.env.clipboard.writeText(url);
  vscode.window.setStatusBarMessage(vscode.l10n.t("Copied {0}", url), 3000);
}
