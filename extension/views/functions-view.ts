// View "Smart Functions": deployed functions with balance, code and key-value tree.
import * as vscode from "vscode";
import { stringifyExact } from "../../daemon/protocol/exact-json.ts";
import { formatTez } from "../../daemon/protocol/tez-text.ts";
import { COMMANDS, SCHEMES } from "../ids.ts";
import type { KnownAccount, KnownAccounts } from "../session/known-accounts.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";
import { accountTooltip, refreshingTree, type TreeNode } from "./tree.ts";

/** A node of the key-value tree: a key path below a function. */
const KEY_NODE = "kv:";
/** Rows below one key: each takes two requests at every refresh. *Find Key…* lists the others. */
const MAX_ROWS = 200;

export function createFunctionsView(
  session: SandboxSession,
  known: KnownAccounts,
): { provider: vscode.TreeDataProvider<TreeNode>; refresh(): void } & vscode.Disposable {
  const tree = refreshingTree(async (parent) => {
    if (!session.sandbox) return [];
    if (!parent) return functionNodes(session, known);
    if (parent.id.startsWith("function.")) return functionChildren(parent);
    if (parent.id.startsWith(KEY_NODE)) return keyNodes(session, parent);
    return [];
  });
  const subscriptions = [
    session.onChange((change) => {
      if (["state", "operations", "stores"].includes(change)) tree.refresh();
    }),
    known.onChange(() => tree.refresh()),
  ];
  return {
    provider: tree.provider,
    refresh: () => tree.refresh(),
    dispose: () => subscriptions.forEach((subscription) => subscription.dispose()),
  };
}

/** Functions that this sandbox has: a restart removes all of them, but not the aliases. */
async function functionNodes(session: SandboxSession, known: KnownAccounts): Promise<TreeNode[]> {
  const own = known.list.filter(({ kind }) => kind === "smart-function");
  const balances = await session
    .runtime()
    ?.balances(own.map(({ address }) => address))
    .catch(() => undefined);
  return own.flatMap((account) => {
    const balance = balances?.get(account.address);
    return balance === undefined ? [] : [functionNode(account, balance)];
  });
}

/** @param balance mutez */
function functionNode({ alias, address }: KnownAccount, balance: bigint): TreeNode {
  return {
    id: `function.${address}`,
    label: alias,
    description: `${formatTez(balance)} ꜩ · ${address.slice(0, 8)}…`,
    tooltip: accountTooltip(alias, address, [`${balance} mutez`]),
    icon: "symbol-function",
    contextValue: "function",
    collapsible: "collapsed",
    value: address,
    alias,
    spoken: vscode.l10n.t("Smart function {0}, balance {1} tez", alias, formatTez(balance)),
  };
}

function functionChildren(parent: TreeNode): TreeNode[] {
  const address = parent.value ?? "";
  const open = (scheme: string, path: string, title: string): vscode.Command => ({
    command: COMMANDS.showCode,
    title,
    arguments: [vscode.Uri.from({ scheme, path })],
  });
  return [
    {
      id: `${parent.id}.code`,
      label: vscode.l10n.t("Code"),
      icon: "code",
      value: address,
      command: open(SCHEMES.code, `/${address}/${parent.alias ?? address}.js`, vscode.l10n.t("Show Code")),
    },
    {
      id: `${parent.id}.logs`,
      label: vscode.l10n.t("Live logs"),
      icon: "output",
      value: address,
      command: { command: COMMANDS.showFunctionLogs, title: vscode.l10n.t("Show Logs"), arguments: [parent] },
    },
    {
      id: `${KEY_NODE}${address}/`,
      label: vscode.l10n.t("Key-value store"),
      icon: "database",
      collapsible: "collapsed",
      contextValue: "store",
      value: address,
    },
  ];
}

async function keyNodes(session: SandboxSession, parent: TreeNode): Promise<TreeNode[]> {
  const [address = "", ...rest] = parent.id.slice(KEY_NODE.length).split("/");
  const prefix = rest.filter(Boolean).join("/");
  const runtime = session.runtime();
  if (!runtime) return [];
  const names =
    (await runtime.subkeys(address, prefix || undefined))?.filter((name) => name !== "").sort() ?? [];
  if (names.length === 0 && prefix === "") {
    return [{ id: `${parent.id}empty`, label: vscode.l10n.t("Nothing stored yet"), icon: "circle-slash" }];
  }
  const rows = await Promise.all(
    names.slice(0, MAX_ROWS).map(async (name): Promise<TreeNode> => {
      const key = prefix === "" ? name : `${prefix}/${name}`;
      const [value, children] = await Promise.all([runtime.kv(address, key), runtime.subkeys(address, key)]);
      const below = (children ?? []).some((child) => child !== "");
      const text = value === undefined ? undefined : shorten(stringifyExact(value));
      return {
        id: `${KEY_NODE}${address}/${key}`,
        label: name,
        ...(text === undefined ? {} : { description: text }),
        icon: below ? "symbol-namespace" : "symbol-field",
        ...(below ? { collapsible: "collapsed" as const } : {}),
        contextValue: value === undefined ? "keys" : "key",
        value: key,
        address,
        ...(value === undefined
          ? {}
          : {
              command: {
                command: COMMANDS.showValue,
                title: vscode.l10n.t("Show Value"),
                arguments: [vscode.Uri.from({ scheme: SCHEMES.value, path: `/${address}/${key}.json` })],
              },
            }),
      };
    }),
  );
  return names.length > MAX_ROWS ? [...rows, moreRow(parent.id, address, names.length - MAX_ROWS)] : rows;
}

const moreRow = (id: string, address: string, count: number): TreeNode => ({
  id: `more.${id}`,
  label: vscode.l10n.t("{0} more", count),
  icon: "ellipsis",
  command: { command: COMMANDS.findKey, title: vscode.l10n.t("Find Key"), arguments: [{ value: address }] },
});

const DESCRIPTION_LENGTH = 60;

function shorten(text: string): string {
  return text.length <= DESCRIPTION_LENGTH ? text : `${text.slice(0, DESCRIPTION_LENGTH - 1)}…`;
}
