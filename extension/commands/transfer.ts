// Transfers tez between accounts of the runtime.
import * as vscode from "vscode";
import { showInformation } from "../messages.ts";
import { showFailure } from "../session/failures.ts";
import { askAmount, chooseReceiver, targetOf } from "./choose.ts";
import type { CommandDependencies } from "./dependencies.ts";
import { ensureAccount, ensureTarget } from "./signing.ts";

/** @param from tree node or alias of the account that pays; by default the one in use */
export async function transfer(
  dependencies: CommandDependencies,
  from?: unknown,
  to?: string,
  amount?: string,
): Promise<void> {
  if (!(await ensureTarget(dependencies)) || !(await ensureAccount(dependencies))) return;
  const { session, known, cli, log, networkArguments } = dependencies;
  const payer = targetOf(from) ?? known.current;
  const user = known.list.find(({ alias, kind }) => kind === "user" && alias === payer);
  if (!user) return;
  const title = vscode.l10n.t("Transfer from {0}", user.alias);
  const isHere = networkArguments().length === 0;
  const balance = isHere ? await session.runtime()?.balance(user.address) : undefined;
  const receiver = to ?? (await chooseReceiver(dependencies, `${title} (1/2)`, { layer1: false }));
  if (receiver === undefined) return;
  const tez = amount ?? (await askAmount(`${title} (2/2)`, balance));
  if (tez === undefined) return;
  try {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Transfer of {0} tez", tez) },
      () => cli.run(["transfer", tez, receiver, `--account=${user.alias}`, ...networkArguments()]),
    );
    void showInformation(vscode.l10n.t("Transferred {0} tez from {1} to {2}.", tez, user.alias, receiver));
  } catch (error) {
    await showFailure(log, title, error);
  }
}
