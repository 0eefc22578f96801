// The walkthrough. Its steps are ticked by what has been done, not by which dialog was opened: context keys tell the editor.
import * as vscode from "vscode";
import { CONTEXT_KEYS, EXTENSION_ID, WALKTHROUGH } from "./ids.ts";
import type { KnownAccounts } from "./session/known-accounts.ts";
import type { SandboxSession } from "./session/sandbox-session.ts";

export interface FirstSteps extends vscode.Disposable {
  openWalkthrough(): Promise<void>;
}

export function createFirstSteps(session: SandboxSession, known: KnownAccounts): FirstSteps {
  const done = new Set<string>();
  const set = (key: string, value: boolean): Thenable<unknown> =>
    vscode.commands.executeCommand("setContext", key, value);
  const tick = (key: string): void => {
    if (done.has(key)) return;
    done.add(key);
    void set(key, true);
  };
  const look = (): void => {
    if (!session.sandbox) return;
    tick(CONTEXT_KEYS.hasStarted);
    if (known.list.some(({ kind }) => kind === "user")) tick(CONTEXT_KEYS.hasAccount);
    for (const { kind, data } of session.operations) {
      if (!data.success) continue;
      if (kind === "deposit") tick(CONTEXT_KEYS.hasDeposited);
      else tick(data.operation === "DeployFunction" ? CONTEXT_KEYS.hasDeployed : CONTEXT_KEYS.hasCalled);
    }
  };
  const subscription = vscode.Disposable.from(
    session.onChange((change) => {
      if (change === "state" || change === "operations") look();
    }),
    known.onChange(look),
  );
  return {
    async openWalkthrough() {
      // An editor that has shown no walkthrough yet reads them now, and ticks a step only when its key changes afterwards.
      for (const key of done) await set(key, false);
      await vscode.commands.executeCommand(
        "workbench.action.openWalkthrough",
        `${EXTENSION_ID}#${WALKTHROUGH}`,
        false,
      );
      for (const key of done) await set(key, true);
    },
    dispose: () => subscription.dispose(),
  };
}
