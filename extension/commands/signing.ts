// What every signed operation needs: a network and an account.
import * as vscode from "vscode";
import { showInformation } from "../messages.ts";
import { ensureRunning } from "../session/dependencies.ts";
import { createAccount } from "./accounts.ts";
import type { CommandDependencies } from "./dependencies.ts";

/** The sandbox must be running, unless the user has chosen another network. */
export function ensureTarget(dependencies: CommandDependencies): Promise<boolean> {
  return dependencies.networkArguments().length > 0 ? Promise.resolve(true) : ensureRunning(dependencies);
}

/** An operation needs an account to sign it: offers to create one if there is none. */
export async function ensureAccount(dependencies: CommandDependencies): Promise<boolean> {
  await dependencies.known.refresh();
  if (dependencies.known.current !== undefined) return true;
  const create = vscode.l10n.t("Create Account");
  const answer = await showInformation(
    vscode.l10n.t("Deploying and calling need an account to sign with."),
    create,
  );
  if (answer !== create) return false;
  await createAccount(dependencies);
  return dependencies.known.current !== undefined;
}
