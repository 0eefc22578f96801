// Accounts and aliases: create, import, use, delete, and copy a secret key.
import * as vscode from "vscode";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { showInformation, showWarning } from "../messages.ts";
import { showFailure } from "../session/failures.ts";
import type { KnownAccount } from "../session/known-accounts.ts";
import { askText, invalidAlias, targetOf } from "./choose.ts";
import type { CommandDependencies } from "./dependencies.ts";

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
    (await askText({
      title,
      prompt: vscode.l10n.t("Alias of the new account"),
      placeHolder: "alice",
      check: (text) => problemOf(dependencies, text),
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

/** Imports a secret key or a recovery phrase, which goes to the command line by its standard input. */
export async function importAccount(dependencies: CommandDependencies): Promise<void> {
  const title = vscode.l10n.t("Import Account");
  const { known, cli, log } = dependencies;
  await known.refresh();
  const alias = await askText({
    title: `${title} (1/2)`,
    prompt: vscode.l10n.t("Alias of the imported account"),
    placeHolder: "alice",
    check: (text) => problemOf(dependencies, text),
  });
  if (alias === undefined) return;
  const secret = await askText({
    title: `${title} (2/2)`,
    prompt: vscode.l10n.t("Secret key (edsk…, spsk…, p2sk…) or recovery phrase"),
    password: true,
    check: (text) =>
      text.trim() === "" ? vscode.l10n.t("Type or paste a secret key or a recovery phrase.") : undefined,
  });
  if (secret === undefined) return;
  try {
    const { address } = await cli.run<CreatedAccount>(["account", "import", alias], { input: secret });
    await known.refresh();
    void showInformation(vscode.l10n.t("Imported {0}: {1}", alias, address));
  } catch (error) {
    await showFailure(log, title, error);
  }
}

/** Deletes an account with its key, or the alias of a smart function. @param argument tree node or alias */
export async function deleteAccount(dependencies: CommandDependencies, argument?: unknown): Promise<void> {
  const title = vscode.l10n.t("Delete");
  const account = await chooseKnown(dependencies, argument, title, () => true);
  if (account === undefined) return;
  const isUser = account.kind === "user";
  const confirm = isUser ? vscode.l10n.t("Delete Account") : vscode.l10n.t("Delete Alias");
  const answer = await showWarning(
    isUser
      ? vscode.l10n.t(
          "Delete {0} and its secret key? Without the key or the recovery phrase nobody can use {1} again.",
          account.alias,
          account.address,
        )
      : vscode.l10n.t(
          "Delete the alias {0}? The smart function {1} stays where it is.",
          account.alias,
          account.address,
        ),
    { modal: true },
    confirm,
  );
  if (answer !== confirm) return;
  const { cli, known, log } = dependencies;
  try {
    await cli.run(["account", "delete", account.alias, "--yes"]);
    await known.refresh();
  } catch (error) {
    await showFailure(log, title, error);
  }
}

/** Copies the secret key of an account, after a question. @param argument tree node or alias */
export async function copySecretKey(dependencies: CommandDependencies, argument?: unknown): Promise<void> {
  const title = vscode.l10n.t("Copy Secret Key");
  const bootstrap = BOOTSTRAP_ACCOUNTS.find(({ label }) => label === targetOf(argument));
  if (bootstrap) {
    await vscode.env.clipboard.writeText(bootstrap.secretKey);
    void showInformation(
      vscode.l10n.t(
        "Copied the secret key of {0}. It is public: never use it on a real network.",
        bootstrap.label,
      ),
    );
    return;
  }
  const account = await chooseKnown(dependencies, argument, title, ({ kind }) => kind === "user");
  if (account === undefined) return;
  const copy = vscode.l10n.t("Copy Secret Key");
  const answer = await showWarning(
    vscode.l10n.t("Whoever has the secret key of {0} owns what the account owns.", account.alias),
    { modal: true },
    copy,
  );
  if (answer !== copy) return;
  try {
    const { accounts } = await dependencies.cli.run<{ accounts: { alias: string; secretKey?: string }[] }>([
      "account",
      "list",
      "--long",
    ]);
    const key = accounts.find(({ alias }) => alias === account.alias)?.secretKey;
    if (key !== undefined) await vscode.env.clipboard.writeText(key);
  } catch (error) {
    await showFailure(dependencies.log, title, error);
  }
}

/** The account or alias that an argument names, or that the user picks. */
async function chooseKnown(
  { known }: CommandDependencies,
  argument: unknown,
  title: string,
  isWanted: (account: KnownAccount) => boolean,
): Promise<KnownAccount | undefined> {
  await known.refresh();
  const wanted = known.list.filter(isWanted);
  const target = targetOf(argument);
  if (target !== undefined) return wanted.find(({ alias }) => alias === target);
  if (wanted.length === 0) {
    void showInformation(vscode.l10n.t("There are no accounts yet."));
    return undefined;
  }
  const items = wanted.map((account) => ({
    label: `$(${account.kind === "user" ? "person" : "symbol-function"}) ${account.alias}`,
    detail: account.address,
    account,
  }));
  return (await vscode.window.showQuickPick(items, { title, matchOnDetail: true }))?.account;
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
  return invalidAlias(text);
}
