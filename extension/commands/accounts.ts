// Create an account.
import * as vscode from "vscode";
import { aliasProblem } from "../../daemon/protocol/alias.ts";
import { showInformation } from "../messages.ts";
import { targetOf } from "./choose.ts";
import type { CommandDependencies } from "./dependencies.ts";
import { showFailure } from "./failures.ts";

interface CreatedAccount {
  readonly alias: string;
  readonly address: string;
  readonly phrase: string;
}

/** @param alias prompted for when missing */
export async function createAccount(
  dependencies: CommandDependencies,
  alias?: string,
): Promise<string | undefined> {
  const title = vscode.l10n.t("Create Account");
  await dependencies.known.refresh();
  const name =
    alias ??
    (await vscode.window.showInputBox({
      title,
      prompt: vscode.l10n.t("Alias of the new account"),
      placeHolder: "alice",
      validateInput: (text) => problemOf(dependencies, text),
    }));
  if (name === undefined) return undefined;
  try {
    const created = await dependencies.cli.run<CreatedAccount>(["account", "create", name]);
    await dependencies.known.refresh();
    const copy = vscode.l10n.t("Copy Recovery Phrase");
    void showInformation(vscode.l10n.t("Created {0}: {1}", name, created.address), copy).then((answer) =>
      answer === copy ? vscode.env.clipboard.writeText(created.phrase) : undefined,
    );
    return created.address;
  } catch (error) {
    await showFailure(dependencies.log, title, error);
    return undefined;
  }
}

/** @param argument tree node or alias of the account that shall sign from now on */
export async function useAccount(dependencies: CommandDependencies, argument?: unknown): Promise<void> {
  const title = vscode.l10n.t("Use Account");
  await dependencies.known.refresh();
  const { known, cli, log } = dependencies;
  const items = known.list
    .filter(({ kind }) => kind === "user")
    .map(({ alias, address }) => ({
      label: alias,
      detail: address,
      ...(alias === known.current ? { description: vscode.l10n.t("in use") } : {}),
    }));
  const placeHolder = vscode.l10n.t("Account that signs and pays");
  const alias =
    targetOf(argument) ?? (await vscode.window.showQuickPick(items, { title, placeHolder }))?.label;
  if (alias === undefined) return;
  try {
    await cli.run(["login", alias]);
    await known.refresh();
  } catch (error) {
    await showFailure(log, title, error);
  }
}

function problemOf({ known }: CommandDependencies, text: string): string | undefined {
  if (known.list.some(({ alias }) => alias === text)) return vscode.l10n.t("This alias already exists.");
  return (
    aliasProblem(text) &&
    vscode.l10n.t("Use letters, digits, dots, - and _, starting with a letter; not an address.")
  );
}
