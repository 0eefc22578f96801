// Opens the sandbox's web page.
import * as vscode from "vscode";
import { explorerAddress } from "../../daemon/protocol/explorer-address.ts";
import { ensureRunning } from "../session/dependencies.ts";
import type { CommandDependencies } from "./dependencies.ts";

/** Opens the web page of the sandbox in a browser, through a forwarded port where the window is a remote one. */
export async function openExplorer(dependencies: CommandDependencies, view = ""): Promise<void> {
  if (!(await ensureRunning(dependencies))) return;
  const { sandbox } = dependencies.session;
  if (!sandbox) return;
  const page = vscode.Uri.parse(explorerAddress(sandbox.sandboxd));
  const forwarded = await vscode.env.asExternalUri(page);
  await vscode.env.openExternal(vscode.Uri.parse(`${forwarded.toString(true)}${view}`));
}
