// Quick picks and input boxes shared by several commands.
import * as vscode from "vscode";
import { aliasProblem } from "../../daemon/protocol/alias.ts";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { isRuntimeAddress, requireRuntimeAddress } from "../../daemon/protocol/runtime-address.ts";
import { formatTez } from "../../daemon/protocol/tez-text.ts";
import { parseTez } from "../../daemon/protocol/tez.ts";
import { showInformation, showInput } from "../messages.ts";
import type { KnownAccount } from "../session/known-accounts.ts";
import type { CommandDependencies } from "./dependencies.ts";

interface Choice extends vscode.QuickPickItem {
  readonly value: string;
}

/** A layer 1 account to send from. */
export async function chooseBootstrap(
  { session }: CommandDependencies,
  title: string,
): Promise<string | undefined> {
  const items = session.accounts.map((account): Choice => ({
    label: account.label,
    description: `${formatTez(BigInt(account.layer1_balance))} ꜩ`,
    detail: account.address,
    value: account.label,
  }));
  const placeHolder = vscode.l10n.t("Account that pays");
  return (await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDetail: true }))?.value;
}

/** A receiver: a known account or function, or a typed address. */
export async function chooseReceiver(
  dependencies: CommandDependencies,
  title: string,
  options: { readonly layer1: boolean },
): Promise<string | undefined> {
  const typed: Choice = { label: `$(edit) ${vscode.l10n.t("Another address…")}`, value: "" };
  const { session, known } = dependencies;
  const users = known.list.filter(({ kind }) => kind === "user");
  const own = options.layer1 ? users : [...users, ...(await livingFunctions(dependencies))];
  const items: Choice[] = [
    ...own.map(({ alias, kind, address }) => ({
      label: `$(${kind === "user" ? "person" : "symbol-function"}) ${alias}`,
      detail: address,
      value: alias,
    })),
    ...session.accounts.map(({ label, address }) => ({
      label: `$(account) ${label}`,
      detail: address,
      value: label,
    })),
    typed,
  ];
  const placeHolder = vscode.l10n.t("Account that receives");
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDetail: true });
  if (chosen !== typed) return chosen?.value;
  return askText({
    title,
    prompt: vscode.l10n.t("Address of the receiver"),
    placeHolder: "tz1…",
    check: (text) =>
      text.trim() === ""
        ? vscode.l10n.t("Type or paste an address: tz1…, tz2…, tz3… or KT1….")
        : problemOf(() => requireRuntimeAddress(text.trim())),
  });
}

/** An amount in tez, validated while typing. @param most mutez that can be spent, if known */
export function askAmount(title: string, most: bigint | undefined): Promise<string | undefined> {
  return askText({
    title,
    prompt:
      most === undefined
        ? vscode.l10n.t("Amount in tez")
        : vscode.l10n.t("Amount in tez, at most {0}", formatTez(most)),
    placeHolder: "100",
    check: (text) => amountProblem(text, most),
  });
}

/** Explains what is wrong with an amount; undefined when it is valid. */
export function amountProblem(text: string, most: bigint | undefined): string | undefined {
  if (text.trim() === "") return vscode.l10n.t("Type an amount, for example 100 or 0.5.");
  const problem = problemOf(() => parseTez(text));
  if (problem === undefined && most !== undefined && parseTez(text) > most) {
    return vscode.l10n.t("At most {0} tez can be spent.", formatTez(most));
  }
  return problem;
}

function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

interface Question extends Omit<vscode.InputBoxOptions, "validateInput" | "ignoreFocusOut"> {
  /** Explains what is wrong with a text; undefined when it is valid. */
  readonly check: (text: string) => string | undefined;
}

/** Asks for a text, checked while typing. Nobody is blamed before the first letter; an empty answer cancels. */
export async function askText({ check, ...options }: Question): Promise<string | undefined> {
  let isTouched = (options.value ?? "") !== "";
  const text = await showInput({
    ...options,
    ignoreFocusOut: true,
    validateInput(typed) {
      isTouched ||= typed !== "";
      return isTouched ? check(typed) : undefined;
    },
  });
  return text === "" ? undefined : text;
}

/** Why a text cannot be an alias, for an input box; undefined when it can. */
export function invalidAlias(text: string): string | undefined {
  if (aliasProblem(text) === undefined) return undefined;
  if (text === "") return vscode.l10n.t("Type an alias, for example alice.");
  if (BOOTSTRAP_ACCOUNTS.some(({ label }) => label === text) || /^bootstrap\d+$/.test(text))
    return vscode.l10n.t("{0} is reserved for the bootstrap accounts of the sandbox.", text);
  return vscode.l10n.t("Use letters, digits, dots, - and _, starting with a letter; not an address.");
}

/** The alias or address of a tree node or an argument. */
export function targetOf(argument: unknown): string | undefined {
  if (typeof argument === "string") return argument;
  const node = argument as { readonly alias?: string; readonly value?: string } | undefined;
  return node?.alias ?? (node?.value !== undefined && isRuntimeAddress(node.value) ? node.value : undefined);
}

/** The functions that the sandbox has: after a restart their aliases are left. On other networks, all of them. */
async function livingFunctions({
  session,
  known,
  networkArguments,
}: CommandDependencies): Promise<readonly KnownAccount[]> {
  const functions = known.list.filter(({ kind }) => kind === "smart-function");
  const runtime = session.runtime();
  if (!runtime || networkArguments().length > 0) return functions;
  const found = await Promise.all(
    functions.map(({ address }) => runtime.account(address).catch(() => undefined)),
  );
  return functions.filter((_one, i) => found[i]?.kind === "smart-function");
}

/** A deployed smart function. */
export async function chooseFunction(
  dependencies: CommandDependencies,
  title: string,
): Promise<string | undefined> {
  const items = (await livingFunctions(dependencies)).map(({ alias, address }): Choice => ({
    label: `$(symbol-function) ${alias}`,
    detail: address,
    value: alias,
  }));
  if (items.length === 0) {
    void showInformation(
      vscode.l10n.t(
        "No smart function is deployed yet. Open one and choose Deploy above its default export.",
      ),
    );
    return undefined;
  }
  const placeHolder = vscode.l10n.t("Smart function");
  return (await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDetail: true }))?.value;
}
