// What the commands work with; composed once in extension.ts.
import * as vscode from "vscode";
import type { ResponseDocuments } from "../editor/virtual-documents.ts";
import { COMMANDS } from "../ids.ts";
import { type Cli, CliError } from "../session/cli.ts";
import type { KnownAccounts } from "../session/known-accounts.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";

export interface CommandDependencies {
  readonly session: SandboxSession;
  readonly cli: Cli;
  readonly known: KnownAccounts;
  readonly documents: ResponseDocuments;
  readonly log: vscode.LogOutputChannel;
  readonly diagnostics: vscode.DiagnosticCollection;
  /** Network of the user's choice as command line arguments: empty for the sandbox. */
  readonly networkArguments: () => readonly string[];
}

/** Makes sure a sandbox runs, starting it if the user wants. @returns false when there is none */
export async function ensureRunning({ session }: Pick<CommandDependencies, "session">): Promise<boolean> {
  if (session.sandbox || (await session.attachIfRunning())) return true;
  const start = vscode.l10n.t("Start Sandbox");
  const answer = await vscode.window.showInformationMessage(vscode.l10n.t("No sandbox is running."), start);
  if (answer !== start) return false;
  await vscode.commands.executeCommand(COMMANDS.start);
  return session.sandbox !== undefined;
}

/** Shows what went wrong with its next step and an action. Cancelling is no failure. */
export async function showFailure(log: vscode.LogOutputChannel, what: string, error: unknown): Promise<void> {
  if (error instanceof CliError && error.code === "CANCELLED") return;
  const code = error instanceof CliError ? error.code : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const next = error instanceof CliError ? ` ${error.next}` : "";
  log.error(`${what}: ${code === undefined ? "" : `${code}: `}${message}`);
  const action = ACTIONS[code ?? ""];
  const showLog = vscode.l10n.t("Show Log");
  const buttons = action ? [action.title(), showLog] : [showLog];
  const answer = await vscode.window.showErrorMessage(`${what}: ${message}${next}`, ...buttons);
  if (answer === showLog) log.show();
  else if (action && answer === action.title()) await vscode.commands.executeCommand(action.command);
}

/** The action that helps with an error, by its code. */
const ACTIONS: Readonly<
  Record<string, { readonly title: () => string; readonly command: string } | undefined>
> = {
  NOT_LOGGED_IN: { title: () => vscode.l10n.t("Create Account"), command: COMMANDS.createAccount },
  SANDBOX_NOT_RUNNING: { title: () => vscode.l10n.t("Start Sandbox"), command: COMMANDS.start },
  INSUFFICIENT_BALANCE: { title: () => vscode.l10n.t("Deposit…"), command: COMMANDS.deposit },
  PORT_IN_USE: { title: () => vscode.l10n.t("Open Settings"), command: COMMANDS.openSettings },
};
