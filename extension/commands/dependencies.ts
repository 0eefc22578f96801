// Dependencies of the commands; created once in extension.ts.
import * as vscode from "vscode";
import type { CallErrors } from "../editor/call-errors.ts";
import type { DeployDiagnostics } from "../editor/deploy-diagnostics.ts";
import type { SourceLinks } from "../editor/source-links.ts";
import { COMMANDS } from "../ids.ts";
import { showInformation } from "../messages.ts";
import type { Responses } from "../requests/response-documents.ts";
import type { Cli } from "../session/cli.ts";
import type { DeployedFiles } from "../session/deployed-files.ts";
import type { KnownAccounts } from "../session/known-accounts.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";

export interface CommandDependencies {
  readonly session: SandboxSession;
  readonly cli: Cli;
  readonly known: KnownAccounts;
  readonly responses: Responses;
  readonly files: DeployedFiles;
  readonly log: vscode.LogOutputChannel;
  readonly diagnostics: DeployDiagnostics;
  readonly links: SourceLinks;
  readonly callErrors: CallErrors;
  /** The user's chosen network as command line arguments: empty for the sandbox. */
  readonly networkArguments: () => readonly string[];
}

/** Ensures that a sandbox is running, starting it if the user agrees. @returns false when there is none */
export async function ensureRunning({ session }: Pick<CommandDependencies, "session">): Promise<boolean> {
  if (session.sandbox || (await session.attachIfRunning())) return true;
  const start = vscode.l10n.t("Start Sandbox");
  const answer = await showInformation(vscode.l10n.t("No sandbox is running."), start);
  if (answer !== start) return false;
  await vscode.commands.executeCommand(COMMANDS.start);
  return session.sandbox !== undefined;
}
