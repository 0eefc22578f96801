// View "Operations": the latest deposits, deploys and calls; one opens its call tree.
import * as vscode from "vscode";
import { formatTez } from "../../daemon/protocol/tez.ts";
import { COMMANDS } from "../ids.ts";
import type { KnownAccounts } from "../session/known-accounts.ts";
import type { OperationRecord } from "../session/operation-history.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";
import { refreshingTree, type TreeNode } from "./tree.ts";

export function createOperationsView(
  session: SandboxSession,
  known: KnownAccounts,
): { provider: vscode.TreeDataProvider<TreeNode> } & vscode.Disposable {
  const tree = refreshingTree((parent) =>
    parent || !session.sandbox
      ? []
      : session.operations.map((operation) => operationNode(operation, session, known)),
  );
  const subscriptions = [
    session.onChange((change) => {
      if (change === "state" || change === "operations") tree.refresh();
    }),
    known.onChange(() => tree.refresh()), // an address has got a name
  ];
  return {
    provider: tree.provider,
    dispose: () => subscriptions.forEach((subscription) => subscription.dispose()),
  };
}

function operationNode(operation: OperationRecord, session: SandboxSession, known: KnownAccounts): TreeNode {
  const { kind, hash, at, data } = operation;
  const name = (address: unknown): string => nameOf(String(address ?? ""), session, known);
  const time = at.toLocaleTimeString();
  const failed = data["success"] !== true || Number(data["statusCode"] ?? 200) >= 400;
  const label =
    kind === "deposit"
      ? vscode.l10n.t("Deposit to {0}", name(data["receiver"]))
      : data["operation"] === "DeployFunction"
        ? vscode.l10n.t("Deploy {0}", name(data["target"]))
        : vscode.l10n.t("Call {0}", name(data["target"]));
  const outcome =
    kind === "deposit"
      ? `${formatTez(BigInt(String(data["amount"] ?? 0)))} ꜩ`
      : data["failure"]
        ? String(data["failure"])
        : data["statusCode"] === null || data["statusCode"] === undefined
          ? ""
          : String(data["statusCode"]);
  return {
    id: `operation.${hash}.${at.getTime()}`,
    label,
    description: [outcome, time].filter(Boolean).join(" · "),
    tooltip: vscode.l10n.t("Operation {0}", hash),
    icon: failed ? "error" : kind === "deposit" ? "arrow-down" : "pass",
    ...(failed ? { colour: "failed" } : kind === "deposit" ? {} : { colour: "passed" }),
    contextValue: "operation",
    value: hash,
    command: { command: COMMANDS.showOperation, title: vscode.l10n.t("Show Call Tree"), arguments: [hash] },
    spoken: [label, failed ? vscode.l10n.t("failed") : vscode.l10n.t("succeeded"), outcome]
      .filter(Boolean)
      .join(", "),
  };
}

/** Alias or label of an address, else its beginning. */
export function nameOf(address: string, session: SandboxSession, known: KnownAccounts): string {
  const alias =
    known.list.find((account) => account.address === address)?.alias ??
    session.accounts.find((account) => account.address === address)?.label;
  return alias ?? (address.length > 12 ? `${address.slice(0, 10)}…` : address);
}
