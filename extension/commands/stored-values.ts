// Stored values of smart functions: find, copy, edit, delete. The sandbox changes them between two operations; real
// networks have no such operation.
import * as vscode from "vscode";
import { stringifyExact } from "../../daemon/protocol/exact-json.ts";
import { compactJson, isJsonText } from "../../daemon/protocol/json-layout.ts";
import { SCHEMES } from "../ids.ts";
import { showInformation, showWarning, withoutIcons } from "../messages.ts";
import { ensureRunning } from "../session/dependencies.ts";
import { showFailure } from "../session/failures.ts";
import { storedKeys } from "../session/stored-keys.ts";
import { askText } from "./choose.ts";
import type { CommandDependencies } from "./dependencies.ts";

/** Keys in the list to choose from. */
const MAX_KEYS = 2_000;
/** Longer values do not fit an input box. */
const MAX_TYPED = 10_000;
const MAX_SHOWN = 200;

interface KeyNode {
  readonly address: string;
  readonly key: string;
}

const keyOf = (node: unknown): KeyNode | undefined => {
  const { address, value } = (node ?? {}) as { address?: unknown; value?: unknown };
  return typeof address === "string" && typeof value === "string" ? { address, key: value } : undefined;
};

const shorten = (text: string): string =>
  text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1)}…`;

/** Lets the user choose one of the keys, and opens its value. @param node of the store */
export async function findKey({ session, log }: CommandDependencies, node: unknown): Promise<void> {
  const address = (node as { value?: string } | undefined)?.value;
  const runtime = session.runtime();
  if (address === undefined || !runtime) return;
  const title = vscode.l10n.t("Find Key");
  try {
    const { keys, isWhole } = await storedKeys(runtime, address, MAX_KEYS);
    if (keys.length === 0) {
      void showInformation(vscode.l10n.t("Nothing is stored yet."));
      return;
    }
    const placeHolder = isWhole
      ? vscode.l10n.t("{0} keys: type a part of one", keys.length)
      : vscode.l10n.t("The first {0} keys: type a part of one", keys.length);
    const items = keys.map((key) => ({ label: withoutIcons(key), key }));
    const chosen = await vscode.window.showQuickPick(items, { title, placeHolder });
    if (chosen === undefined) return;
    const uri = vscode.Uri.from({ scheme: SCHEMES.value, path: `/${address}/${chosen.key}.json` });
    await vscode.window.showTextDocument(uri, { preview: true });
  } catch (error) {
    await showFailure(log, title, error);
  }
}

export async function copyKey(node: unknown): Promise<void> {
  const found = keyOf(node);
  if (found) await copy(found.key);
}

/** Copies the value as JSON. */
export async function copyStoredValue(dependencies: CommandDependencies, node: unknown): Promise<void> {
  const found = keyOf(node);
  const text = found && (await valueOf(dependencies, found));
  if (text !== undefined) await copy(text);
}

async function copy(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(vscode.l10n.t("Copied {0}", withoutIcons(shorten(text))), 3000);
}

/** The value as compact JSON. */
async function valueOf(
  { session }: Pick<CommandDependencies, "session">,
  { address, key }: KeyNode,
): Promise<string | undefined> {
  const value = await session.runtime()?.kv(address, key);
  return value === undefined ? undefined : stringifyExact(value);
}

/** @param typed the new value as JSON; prompted for when missing @param options `confirm: false` asks nothing */
export async function editStoredValue(
  dependencies: CommandDependencies,
  node: unknown,
  typed?: string,
  options: { readonly confirm?: boolean } = {},
): Promise<void> {
  const title = vscode.l10n.t("Edit Value");
  const found = keyOf(node);
  if (!found) return;
  try {
    const before = await valueOf(dependencies, found);
    if (before !== undefined && before.length > MAX_TYPED) {
      void showInformation(
        vscode.l10n.t(
          "The value of {0} is too long to be edited here: {1} characters.",
          found.key,
          before.length,
        ),
      );
      return;
    }
    const text =
      typed ??
      (await askText({
        title,
        prompt: vscode.l10n.t("New value of {0}, as JSON", found.key),
        ...(before === undefined ? {} : { value: before }),
        check: (each) =>
          isJsonText(each)
            ? undefined
            : vscode.l10n.t('This is not JSON. Texts need quotation marks, for example "text".'),
      }));
    if (text === undefined || compactJson(text) === before) return;
    const change = vscode.l10n.t("Change Value");
    const question = vscode.l10n.t(
      "Change {0} from {1} to {2}? The function does not run for this, and no network but the sandbox can do it.",
      found.key,
      shorten(before ?? vscode.l10n.t("nothing")),
      shorten(compactJson(text)),
    );
    if (options.confirm !== false && (await showWarning(question, { modal: true }, change)) !== change)
      return;
    if (!(await ensureRunning(dependencies))) return; // it may have stopped meanwhile
    await dependencies.session.editStore(found.address, { key: found.key, value: text });
  } catch (error) {
    await showFailure(dependencies.log, title, error);
  }
}

/** @param options `confirm: false` asks nothing */
export async function deleteStoredValue(
  dependencies: CommandDependencies,
  node: unknown,
  options: { readonly confirm?: boolean } = {},
): Promise<void> {
  const found = keyOf(node);
  if (!found) return;
  const remove = vscode.l10n.t("Delete Value");
  const question = vscode.l10n.t("Delete {0} and its value from the store of the smart function?", found.key);
  if (options.confirm !== false && (await showWarning(question, { modal: true }, remove)) !== remove) return;
  try {
    if (!(await ensureRunning(dependencies))) return;
    await dependencies.session.editStore(found.address, { key: found.key, value: null });
  } catch (error) {
    await showFailure(dependencies.log, vscode.l10n.t("Delete Value"), error);
  }
}
