// Deposit and withdraw.
import * as vscode from "vscode";
import { formatTez } from "../../daemon/protocol/tez-text.ts";
import { showInformation } from "../messages.ts";
import { ensureRunning } from "../session/dependencies.ts";
import { showFailure } from "../session/failures.ts";
import { askAmount, chooseBootstrap, chooseReceiver, targetOf } from "./choose.ts";
import type { CommandDependencies } from "./dependencies.ts";

interface DepositResult {
  readonly operation: string;
  readonly level: number;
  readonly layer1Balance: string;
  readonly runtimeBalance?: string;
}

/**
 * @param argument a tree node or label to send from; @param to receiver; @param amount tez: prompted for when missing
 */
export async function deposit(
  dependencies: CommandDependencies,
  argument?: unknown,
  to?: string,
  amount?: string,
): Promise<DepositResult | undefined> {
  const title = vscode.l10n.t("Deposit");
  if (!(await ensureRunning(dependencies))) return undefined;
  const { session, known } = dependencies;
  const target = targetOf(argument);
  const isBootstrap = session.accounts.some(({ label }) => label === target);
  // On a bootstrap account, deposit from it; on any other account, deposit to it.
  const from = isBootstrap ? target : await chooseBootstrap(dependencies, title);
  if (from === undefined) return undefined;
  const receiver =
    to ??
    (target !== undefined && !isBootstrap && known.list.some(({ alias }) => alias === target)
      ? target
      : await chooseReceiver(dependencies, title, { layer1: false }));
  if (receiver === undefined) return undefined;
  const balance = session.accounts.find(({ label }) => label === from)?.layer1_balance;
  const tez =
    amount ?? (await askAmount(title, balance === undefined ? undefined : withoutFee(BigInt(balance))));
  if (tez === undefined) return undefined;
  try {
    const result = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t("Deposit of {0} tez", tez),
        cancellable: true,
      },
      (progress, token) => {
        const abort = new AbortController();
        token.onCancellationRequested(() => abort.abort());
        return dependencies.cli.run<DepositResult>(
          ["bridge", "deposit", "--from", from, "--to", receiver, `--amount=${tez}`],
          { signal: abort.signal, onProgress: (message) => progress.report({ message }) },
        );
      },
    );
    const after = result.runtimeBalance;
    const text = vscode.l10n.t(
      "Deposited {0} tez to {1}: it has {2} tez in the runtime, {3} has {4} tez left on layer 1.",
      tez,
      receiver,
      after === undefined ? "?" : formatTez(BigInt(after)),
      from,
      formatTez(BigInt(result.layer1Balance)),
    );
    // With a button the editor shows the whole text, otherwise only one line of it.
    const copy = vscode.l10n.t("Copy Operation Hash");
    void showInformation(text, copy).then((answer) =>
      answer === copy ? vscode.env.clipboard.writeText(result.operation) : undefined,
    );
    return result;
  } catch (error) {
    await showFailure(dependencies.log, title, error);
    return undefined;
  }
}

/** Mutez that a deposit leaves for its fee, which is about a fifth of it. */
const FEE = 10_000n;
const withoutFee = (balance: bigint): bigint => (balance > FEE ? balance - FEE : 0n);

/** @param from tree node or alias of the account that pays; by default the one in use */
export async function withdraw(
  dependencies: CommandDependencies,
  from?: unknown,
  to?: string,
  amount?: string,
): Promise<void> {
  if (!(await ensureRunning(dependencies))) return;
  const { session, known, cli } = dependencies;
  const payer = targetOf(from) ?? known.current;
  const user = known.list.find(({ alias, kind }) => kind === "user" && alias === payer);
  const title = user ? vscode.l10n.t("Withdraw from {0}", user.alias) : vscode.l10n.t("Withdraw");
  const balance = user && (await session.runtime()?.balance(user.address));
  const receiver = to ?? (await chooseReceiver(dependencies, title, { layer1: true }));
  if (receiver === undefined) return;
  const tez = amount ?? (await askAmount(title, balance));
  if (tez === undefined) return;
  try {
    await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t("Withdrawal of {0} tez", tez),
        cancellable: true,
      },
      (progress, token) => {
        const abort = new AbortController();
        token.onCancellationRequested(() => abort.abort());
        const account = user ? [`--account=${user.alias}`] : [];
        return cli.run(["bridge", "withdraw", "--to", receiver, `--amount=${tez}`, ...account], {
          signal: abort.signal,
          onProgress: (message) => progress.report({ message }),
        });
      },
    );
    await known.refresh(); // balances on layer 1 have no event
    void showInformation(
      vscode.l10n.t("Withdrew {0} tez from {1} to {2} on layer 1.", tez, user?.alias ?? "", receiver),
    );
  } catch (error) {
    await showFailure(dependencies.log, title, error);
  }
}
