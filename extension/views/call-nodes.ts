// The call tree of an operation as rows: calls with what they did, in order, each of which leads to its subject.
import * as vscode from "vscode";
import { type CallTrace, inOrder } from "../../daemon/protocol/call-trace.ts";
import type { SourceLinks } from "../editor/source-links.ts";
import { COMMANDS, SCHEMES } from "../ids.ts";
import type { TreeNode } from "./tree.ts";

/** Rows below one call; the call tree as text has all. */
const MAX_ROWS = 200;
const MAX_TEXT = 200;

export interface CallNodes {
  /** Rows of a call; `below` makes the row of a nested call expandable. */
  childrenOf(call: CallTrace, id: string): Promise<TreeNode[]>;
  /** The call of a row, if it is one. */
  callOf(node: TreeNode): CallTrace | undefined;
  rowOf(call: CallTrace, id: string): TreeNode;
}

/** @param nameOf alias of an address */
export function createCallNodes(
  links: Pick<SourceLinks, "inSources" | "firstPlace">,
  nameOf: (address: string) => string,
): CallNodes {
  const calls = new WeakMap<TreeNode, CallTrace>();

  function rowOf(call: CallTrace, id: string): TreeNode {
    const isGood = call.error === undefined && call.status < 400;
    const amount = call.amount === "0" ? [] : [vscode.l10n.t("{0} mutez", call.amount)];
    const undone = call.committed ? [] : [vscode.l10n.t("rolled back")];
    const gas = vscode.l10n.t("{0} gas", call.gas.toLocaleString("en"));
    const node: TreeNode = {
      id,
      label: shorten(`${call.method} ${nameOf(call.address)}${call.path}`),
      description: [String(call.status), gas, ...amount, ...undone].join(" · "),
      icon: isGood ? "pass" : "error",
      colour: isGood ? "passed" : "failed",
      collapsible: isGood ? "collapsed" : "expanded",
    };
    calls.set(node, call);
    return node;
  }

  async function errorRow({ message }: { readonly message: string }, id: string): Promise<TreeNode> {
    const text = await links.inSources(message);
    const place = links.firstPlace(text);
    const [first = ""] = text.split("\n");
    return {
      id: `${id}.error`,
      label: shorten(first),
      ...(place ? { description: place.name } : {}),
      tooltip: text.slice(0, 2_000),
      icon: "error",
      colour: "failed",
      ...(place
        ? {
            command: {
              command: "vscode.open",
              title: vscode.l10n.t("Go to Source"),
              arguments: [place.uri, { selection: place.range }],
            },
          }
        : {}),
    };
  }

  return {
    callOf: (node) => calls.get(node),
    rowOf,
    async childrenOf(call, id) {
      const row = (seq: number | undefined, name: string, rest: Omit<TreeNode, "id">) => ({
        seq,
        node: async (): Promise<TreeNode> => ({ id: `${id}.${name}`, ...rest }),
      });
      const entries = inOrder([
        ...call.kv.map(({ seq, op, key, value }, i) =>
          row(seq, `kv${i}`, {
            label: shorten(`${op} ${key}`),
            ...(value === undefined ? {} : { description: shorten(value ?? vscode.l10n.t("nothing")) }),
            icon: op === "get" || op === "has" ? "symbol-field" : "edit",
            command: {
              command: COMMANDS.showValue,
              title: vscode.l10n.t("Show Value"),
              arguments: [vscode.Uri.from({ scheme: SCHEMES.value, path: `/${call.address}/${key}.json` })],
            },
          }),
        ),
        ...call.transfers.map(({ seq, from, to, amount }, i) =>
          row(seq, `transfer${i}`, {
            label: vscode.l10n.t("{0} mutez from {1} to {2}", amount, nameOf(from), nameOf(to)),
            icon: "arrow-swap",
          }),
        ),
        ...(call.tickets ?? []).map(({ seq, from, to, amount, ticketer }, i) =>
          row(seq, `tickets${i}`, {
            label: vscode.l10n.t(
              "{0} tickets of {1} from {2} to {3}",
              amount,
              nameOf(ticketer),
              nameOf(from),
              nameOf(to),
            ),
            icon: "arrow-swap",
          }),
        ),
        ...call.logs.map(({ seq, level, text }, i) => ({
          seq,
          node: async (): Promise<TreeNode> => ({
            id: `${id}.log${i}`,
            label: shorten((await links.inSources(text)).trimEnd()),
            description: level.toLowerCase(),
            icon: "output",
          }),
        })),
        ...call.calls.map((inner, i) => ({
          seq: inner.seq,
          node: async (): Promise<TreeNode> => rowOf(inner, `${id}.call${i}`),
        })),
      ]);
      const shown = await Promise.all(entries.slice(0, MAX_ROWS).map(({ node }) => node()));
      return [
        ...(call.error ? [await errorRow(call.error, id)] : []),
        ...shown,
        ...(entries.length > MAX_ROWS
          ? [
              {
                id: `${id}.more`,
                label: vscode.l10n.t("{0} more", entries.length - MAX_ROWS),
                icon: "ellipsis",
              },
            ]
          : []),
      ];
    },
  };
}

/** One line of a guest's text. */
function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= MAX_TEXT ? line : `${line.slice(0, MAX_TEXT - 1)}…`;
}
