// What commands and editor features share of the session; created once in extension.ts.
import * as vscode from "vscode";
import { COMMANDS } from "../ids.ts";
import { showInformation } from "../messages.ts";
import type { Cli } from "./cli.ts";
import type { DeployedFiles } from "./deployed-files.ts";
import type { KnownAccounts } from "./known-accounts.ts";
import type { SandboxSession } from "./sandbox-session.ts";

export interface SessionDependencies {
  readonly session: SandboxSession;
  readonly cli: Cli;
  readonly known: KnownAccounts;
  readonly files: DeployedFiles;
  readonly log: vscode.LogOutputChannel;
  /** The user's chosen network as command line arguments: empty for the sandbox. */
  readonly networkArguments: () => readonly string[];
}

/** Ensures that a sandbox is running, starting it if the user agrees. @returns false when there is none */
export async function ensureRunning({ session }: Pick<SessionDependencies, "session">): Promise<boolean> {
  if (session.sandbox || (await session.attachIfRunning())) return true;
  const start = vscode.l10n.t("Start Sandbox");
  const answer = await showInformation(vscode.l10n.t("No sandbox is running."), start);
  if (answer !== start) return false;
  await vscode.commands.executeCommand(COMMANDS.start);
  return session.sandbox !== undefined;
}
