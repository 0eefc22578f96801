// View "Operations": the latest deposits, deploys and calls; selecting one opens its call tree.
import * as vscode from "vscode";
import { formatTez } from "../../daemon/protocol/tez.ts";
import { COMMANDS } from "../ids.ts";
import type { KnownAccounts } from "../session/known-accounts.ts";
import { hasFailed, type OperationRecord } from "../session/operation-history.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";
import { refreshingTree, type TreeNode } from "./tree.ts";

export function createOperationsView(
  session: SandboxSession,
  known: KnownAccounts,
): { provider: vscode.TreeDataProvider<TreeNode> } & vscode.Disposable {
  // A name that was shown stays: after a redeploy the alias means another function.
  const names = new Map<string, string>();
  const tree = refreshingTree((parent) => {
    if (parent || !session.sandbox) return [];
    const { operations } = session;
    const nodes = operations.map((operation) => operationNode(operation, session, known, names));
    const kept = new Set(operations.map(({ data }) => data.hash));
    for (const hash of names.keys()) if (!kept.has(hash)) names.delete(hash);
    return nodes;
  });
  const subscriptions = [
    session.onChange((change) => {
      if (change === "state" || change === "operations") tree.refresh();
    }),
    known.onChange(() => tree.refresh()), // an address may have a new name
  ];
  return {
    provider: tree.provider,
    dispose: () => subscriptions.forEach((subscription) => subscription.dispose()),
  };
}

function operationNode(
  record: OperationRecord,
  session: SandboxSession,
  known: KnownAccounts,
  names: Map<string, string>,
): TreeNode {
  const { at, kind } = record;
  const { hash } = record.data;
  const failed = hasFailed(record);
  const { label, outcome } = describe(record, (address) => {
    const name = names.get(hash) ?? nameOf(address ?? "", session, known);
    if (isAlias(name)) names.set(hash, name);
    return name;
  });
  const time = at.toLocaleTimeString();
  return {
    id: `operation.${hash}.${at.getTime()}`,
    label,
    description: [outcome, time].filter(Boolean).join(" · "),
    tooltip: vscode.l10n.t("Operation {0}", hash),
    icon: failed ? "error" : kind === "deposit" ? "arrow-down" : "pass",
    ...(failed ? { colour: "failed" } : kind === "deposit" ? {} : { colour: "passed" }),
    contextValue: contextOf(record, failed),
    value: hash,
    command: { command: COMMANDS.showOperation, title: vscode.l10n.t("Show Call Tree"), arguments: [hash] },
    spoken: [label, failed ? vscode.l10n.t("failed") : vscode.l10n.t("succeeded"), outcome, time]
      .filter(Boolean)
      .join(", "),
  };
}

function contextOf({ kind, data }: OperationRecord, failed: boolean): string {
  if (kind !== "operation" || data.operation !== "RunFunction") return "operation";
  return failed ? "operation.call.failed" : "operation.call";
}

interface Description {
  readonly label: string;
  /** Amount, status or failure. */
  readonly outcome: string;
}

function describe(record: OperationRecord, name: (address: string | null) => string): Description {
  if (record.kind === "deposit") {
    const { receiver, amount } = record.data;
    return {
      label: vscode.l10n.t("Deposit to {0}", name(receiver)),
      outcome: `${formatTez(BigInt(amount))} ꜩ`,
    };
  }
  const { operation, target, statusCode, failure, call } = record.data;
  const outcome = failure ?? (statusCode === null ? "" : String(statusCode));
  if (operation === "DeployFunction")
    return {
      label: target === null ? vscode.l10n.t("Deploy") : vscode.l10n.t("Deploy {0}", name(target)),
      outcome,
    };
  if (typeof call !== "string") return { label: vscode.l10n.t("Call {0}", name(target)), outcome };
  return { label: `${name(target)} ${call}`, outcome };
}

const isAlias = (name: string): boolean => name !== "" && !name.endsWith("…");

/** Alias or label of an address, otherwise its beginning. */
export function nameOf(address: string, session: SandboxSession, known: KnownAccounts): string {
  const alias =
    known.list.find((account) => account.address === address)?.alias ??
    session.accounts.find((account) => account.address === address)?.label;
  return alias ?? (address.length > 12 ? `${address.slice(0, 10)}…` : address);
}
