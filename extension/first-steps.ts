// Context keys that tick the steps of the walkthrough: what has been done, not which dialog was opened.
import * as vscode from "vscode";
import { CONTEXT_KEYS } from "./ids.ts";
import type { KnownAccounts } from "./session/known-accounts.ts";
import type { SandboxSession } from "./session/sandbox-session.ts";

export function tickFirstSteps(session: SandboxSession, known: KnownAccounts): vscode.Disposable {
  const ticked = new Set<string>();
  const tick = (key: string, isDone: boolean): void => {
    if (!isDone || ticked.has(key)) return;
    ticked.add(key);
    void vscode.commands.executeCommand("setContext", key, true);
  };
  const look = (): void => {
    if (!session.sandbox) return;
    tick(
      CONTEXT_KEYS.hasAccount,
      known.list.some(({ kind }) => kind === "user"),
    );
    for (const { kind, data } of session.operations) {
      if (!data.success) continue;
      if (kind === "deposit") tick(CONTEXT_KEYS.hasDeposited, true);
      else
        tick(data.operation === "DeployFunction" ? CONTEXT_KEYS.hasDeployed : CONTEXT_KEYS.hasCalled, true);
    }
  };
  return vscode.Disposable.from(
    session.onChange((change) => {
      if (change === "state" || change === "operations") look();
    }),
    known.onChange(look),
  );
}
