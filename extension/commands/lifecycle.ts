// Start, stop, restart.
import * as vscode from "vscode";
import { VERSION } from "../../daemon/protocol/constants.ts";
import { COMMANDS, VIEWS } from "../ids.ts";
import { showWarning } from "../messages.ts";
import { showFailure, showStartFailure } from "../session/failures.ts";
import type { StartOptions } from "../session/session-state.ts";
import type { CommandDependencies } from "./dependencies.ts";
import { offerRedeploy } from "./redeploy.ts";

/** Shows progress in the view. */
function inView<T>(work: () => Promise<T>): Thenable<T> {
  return vscode.window.withProgress({ location: { viewId: VIEWS.sandbox } }, work);
}

/** A container may have to be built or pulled first: shows its steps, and can be cancelled. */
function withSteps<T>(work: (options: StartOptions) => Promise<T>): Thenable<T> {
  return vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t("Starting the sandbox in a container"),
      cancellable: true,
    },
    (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      return work({ signal: abort.signal, onProgress: (message) => progress.report({ message }) });
    },
  );
}

/** @param withoutContainer start as a process this once, whatever the settings */
export async function startSandbox(
  { session, log }: Pick<CommandDependencies, "session" | "log">,
  withoutContainer = false,
): Promise<void> {
  try {
    if (session.inContainerMode && !withoutContainer && !(await session.attachIfRunning()))
      await withSteps((options) => session.start(options));
    else await inView(() => session.start({ withoutContainer }));
  } catch (error) {
    await showStartFailure(log, error);
    return;
  }
  await warnOfOtherVersion(session);
}

/** A sandbox of another version may already be running, from a terminal or before an update: it is used unchanged. */
export async function warnOfOtherVersion({
  sandbox,
}: Pick<CommandDependencies["session"], "sandbox">): Promise<void> {
  if (!sandbox || sandbox.version === VERSION) return;
  const restart = vscode.l10n.t("Restart Sandbox…");
  const answer = await showWarning(
    vscode.l10n.t(
      "The running sandbox is functez {0}, this extension is {1}. They may not understand each other.",
      sandbox.version,
      VERSION,
    ),
    restart,
  );
  if (answer === restart) await vscode.commands.executeCommand(COMMANDS.restart);
}

export async function stopSandbox(
  { session, log }: CommandDependencies,
  options: { readonly confirm?: boolean } = {},
): Promise<void> {
  if (options.confirm !== false && !(await mayStop(session, vscode.l10n.t("Stop")))) return;
  try {
    await inView(() => session.stop());
  } catch (error) {
    await showFailure(log, vscode.l10n.t("Stop"), error);
  }
}

/** Stopping also takes the sandbox away from other windows and terminals. */
async function mayStop(session: CommandDependencies["session"], action: string): Promise<boolean> {
  const others = (await session.otherClients()) ?? 0;
  if (others === 0) return session.operations.length === 0 || (await mayForget(action));
  const answer = await showWarning(
    others === 1
      ? vscode.l10n.t("Another window or terminal uses this sandbox.")
      : vscode.l10n.t("{0} other windows or terminals use this sandbox.", others),
    { modal: true, detail: vscode.l10n.t("It stops for everyone, and its state is not kept.") },
    action,
  );
  return answer === action;
}

/** What was deployed and called is gone after a stop. */
async function mayForget(action: string): Promise<boolean> {
  const answer = await showWarning(
    vscode.l10n.t("Stop the sandbox?"),
    { modal: true, detail: vscode.l10n.t("All balances, smart functions and operations are lost.") },
    action,
  );
  return answer === action;
}

export async function restartSandbox(
  dependencies: CommandDependencies,
  options: { readonly confirm?: boolean } = {},
): Promise<void> {
  const { session, log } = dependencies;
  const restart = vscode.l10n.t("Restart");
  if (session.sandbox && options.confirm !== false) {
    const answer = await showWarning(
      vscode.l10n.t("Restart the sandbox?"),
      { modal: true, detail: vscode.l10n.t("All balances, smart functions and operations are reset.") },
      restart,
    );
    if (answer !== restart) return;
  }
  try {
    await inView(() => session.stop());
  } catch (error) {
    await showFailure(log, restart, error);
    return;
  }
  await startSandbox({ session, log });
  void offerRedeploy(dependencies); // not awaited: it waits for an answer
}
