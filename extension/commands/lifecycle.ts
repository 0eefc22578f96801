// Start, stop, restart.
import * as vscode from "vscode";
import { COMMANDS, VIEWS } from "../ids.ts";
import { DaemonStartError } from "../session/daemon-process.ts";
import { type CommandDependencies, showFailure } from "./dependencies.ts";

/** Progress in the view that it belongs to. */
function inView<T>(work: () => Promise<T>): Thenable<T> {
  return vscode.window.withProgress({ location: { viewId: VIEWS.sandbox } }, work);
}

export async function startSandbox({ session, log }: CommandDependencies): Promise<void> {
  try {
    await inView(() => session.start());
  } catch (error) {
    await reportStartFailure(log, error);
  }
}

async function reportStartFailure(log: vscode.LogOutputChannel, error: unknown): Promise<void> {
  if (error instanceof DaemonStartError) for (const line of error.end.lastLines) log.error(line);
  const message = error instanceof Error ? error.message : String(error);
  log.error(`start: ${message}`);
  const port = message.startsWith("PORT_IN_USE");
  const retry = vscode.l10n.t("Try Again");
  const showLog = vscode.l10n.t("Show Log");
  const settings = vscode.l10n.t("Open Settings");
  const answer = await vscode.window.showErrorMessage(
    vscode.l10n.t("The sandbox did not start. {0}", message),
    ...(port ? [settings] : [retry]),
    showLog,
  );
  if (answer === retry) await vscode.commands.executeCommand(COMMANDS.start);
  if (answer === showLog) log.show();
  if (answer === settings) await vscode.commands.executeCommand(COMMANDS.openSettings);
}

export async function stopSandbox({ session, log }: CommandDependencies): Promise<void> {
  if (!(await mayStop(session, vscode.l10n.t("Stop")))) return;
  try {
    await inView(() => session.stop());
  } catch (error) {
    await showFailure(log, vscode.l10n.t("Stop"), error);
  }
}

/** A stop takes the sandbox away from other windows and terminals too. */
async function mayStop(session: CommandDependencies["session"], action: string): Promise<boolean> {
  const others = (await session.otherClients()) ?? 0;
  if (others === 0) return true;
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t("{0} other windows or terminals use this sandbox.", others),
    { modal: true, detail: vscode.l10n.t("They lose it too; its state is not kept.") },
    action,
  );
  return answer === action;
}

export async function restartSandbox(
  { session, log }: CommandDependencies,
  options: { readonly confirm?: boolean } = {},
): Promise<void> {
  const restart = vscode.l10n.t("Restart");
  if (session.sandbox && options.confirm !== false) {
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t("Restart the sandbox?"),
      { modal: true, detail: vscode.l10n.t("All balances, smart functions and operations are reset.") },
      restart,
    );
    if (answer !== restart) return;
  }
  try {
    await inView(() => session.restart());
  } catch (error) {
    await reportStartFailure(log, error);
  }
}
