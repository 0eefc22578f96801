// View "Operations": deposits, deploys and calls, newest first; a call opens into what it did.
import * as vscode from "vscode";
import type { OperationTrace } from "../../daemon/protocol/call-trace.ts";
import { hasFailed } from "../../daemon/protocol/operation-outcome.ts";
import { formatTez } from "../../daemon/protocol/tez-text.ts";
import type { SourceLinks } from "../editor/source-links.ts";
import { COMMANDS } from "../ids.ts";
import { nameOf } from "../session/account-names.ts";
import type { KnownAccounts } from "../session/known-accounts.ts";
import { addressesOf, matches, type OperationFilter } from "../session/operation-filter.ts";
import { OperationGas } from "../session/operation-gas.ts";
import type { OperationRecord } from "../session/operation-history.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";
import { createCallNodes } from "./call-nodes.ts";
import { refreshingTree, type TreeNode } from "./tree.ts";

export interface OperationsView extends vscode.Disposable {
  readonly provider: vscode.TreeDataProvider<TreeNode>;
  /** Asks which operations to show, unless told. */
  filter(wanted?: OperationFilter): Promise<void>;
  /** Shows only what comes from now on. The sandbox keeps all. */
  clear(): void;
}

export function createOperationsView(
  session: SandboxSession,
  known: KnownAccounts,
  links: Pick<SourceLinks, "inSources" | "firstPlace">,
): OperationsView {
  let filter: OperationFilter = { kind: "all" };
  /** The newest operation that is not shown. */
  let clearedUpTo: Date | undefined;
  const name = (address: string): string => nameOf(address, session, known);
  const calls = createCallNodes(links, name);
  const readTrace = async (hash: string): Promise<OperationTrace | undefined> =>
    session.runtime()?.trace(hash);
  const gas = new OperationGas(readTrace, () => tree.refresh());

  const tree = refreshingTree((parent) => {
    if (!session.sandbox) return [];
    if (parent) return childrenOf(parent);
    const shown = session.operations.filter(
      (record) => (clearedUpTo === undefined || record.at > clearedUpTo) && matches(record, filter),
    );
    gas.want(shown.filter(isCall).map(({ data }) => data.hash));
    return [
      ...(filter.kind === "all" ? [] : [filterRow(filter)]),
      ...shown.map((record) => operationNode(record, name, gas.of(record.data.hash))),
      ...(session.hasEarlierOperations && clearedUpTo === undefined ? [MORE_ROW()] : []),
    ];
  });

  async function childrenOf(parent: TreeNode): Promise<TreeNode[]> {
    const call = calls.callOf(parent);
    if (call) return calls.childrenOf(call, parent.id);
    const trace = await readTrace(parent.value ?? "").catch(() => undefined);
    if (!trace?.trace)
      return [
        { id: `${parent.id}.none`, label: vscode.l10n.t("No call tree is kept"), icon: "circle-slash" },
      ];
    return calls.childrenOf(trace.trace.call, parent.id);
  }

  const filterRow = (of: OperationFilter): TreeNode => ({
    id: "operations.filter",
    label: vscode.l10n.t("Filter: {0}", filterText(of, name)),
    icon: "filter-filled",
    command: { command: COMMANDS.filterOperations, title: vscode.l10n.t("Filter") },
  });

  const subscriptions = [
    session.onChange((change) => {
      if (change === "state" && session.state.kind !== "running") clearedUpTo = undefined;
      if (change === "state" || change === "operations") tree.refresh();
    }),
    known.onChange(() => tree.refresh()), // an address may have a new name
  ];
  return {
    provider: tree.provider,
    async filter(wanted) {
      const chosen = wanted ?? (await chooseFilter(session.operations, filter, name));
      if (chosen === undefined) return;
      filter = chosen;
      tree.refresh();
    },
    clear() {
      clearedUpTo = session.operations[0]?.at;
      tree.refresh();
    },
    dispose: () => subscriptions.forEach((subscription) => subscription.dispose()),
  };
}

const MORE_ROW = (): TreeNode => ({
  id: "operations.more",
  label: vscode.l10n.t("Load More"),
  icon: "history",
  command: { command: COMMANDS.loadMoreOperations, title: vscode.l10n.t("Load More") },
});

const isCall = ({ kind, data }: OperationRecord): boolean =>
  kind === "operation" && data.operation === "RunFunction";

function filterText(filter: OperationFilter, name: (address: string) => string): string {
  switch (filter.kind) {
    case "all":
      return vscode.l10n.t("all");
    case "failed":
      return vscode.l10n.t("failed");
    case "calls":
      return vscode.l10n.t("calls");
    case "deploys":
      return vscode.l10n.t("deploys");
    case "deposits":
      return vscode.l10n.t("deposits");
    case "address":
      return name(filter.address);
  }
}

async function chooseFilter(
  operations: readonly OperationRecord[],
  current: OperationFilter,
  name: (address: string) => string,
): Promise<OperationFilter | undefined> {
  const kinds = (["all", "failed", "calls", "deploys", "deposits"] as const).map((kind) => ({ kind }));
  const addresses = [...new Set(operations.flatMap(addressesOf))];
  const isCurrent = (one: OperationFilter): boolean => JSON.stringify(one) === JSON.stringify(current);
  const item = (of: OperationFilter, detail?: string) => ({
    label: filterText(of, name),
    ...(isCurrent(of) ? { description: vscode.l10n.t("shown now") } : {}),
    ...(detail === undefined ? {} : { detail }),
    of,
  });
  const chosen = await vscode.window.showQuickPick(
    [
      ...kinds.map((of) => item(of)),
      ...addresses.map((address) => item({ kind: "address", address }, address)),
    ],
    {
      title: vscode.l10n.t("Filter Operations"),
      placeHolder: vscode.l10n.t("A kind, an account or a smart function"),
      matchOnDetail: true,
    },
  );
  return chosen?.of;
}

function operationNode(
  record: OperationRecord,
  name: (address: string) => string,
  gas: number | undefined,
): TreeNode {
  const { at, kind } = record;
  const { hash } = record.data;
  const failed = hasFailed(record.data);
  const { label, outcome } = describe(record, name);
  const time = at.toLocaleTimeString();
  const used = gas === undefined ? "" : vscode.l10n.t("{0} gas", gas.toLocaleString("en"));
  return {
    id: `operation.${hash}.${at.getTime()}`,
    label,
    description: [outcome, used, time].filter(Boolean).join(" · "),
    tooltip: vscode.l10n.t("Operation {0}", hash),
    icon: failed ? "error" : kind === "deposit" ? "arrow-down" : "pass",
    ...(failed ? { colour: "failed" } : kind === "deposit" ? {} : { colour: "passed" }),
    ...(isCall(record) ? { collapsible: "collapsed" } : {}),
    contextValue: contextOf(record, failed),
    value: hash,
    command: { command: COMMANDS.showOperation, title: vscode.l10n.t("Show Call Tree"), arguments: [hash] },
    spoken: [label, failed ? vscode.l10n.t("failed") : vscode.l10n.t("succeeded"), outcome, used, time]
      .filter(Boolean)
      .join(", "),
  };
}

function contextOf(record: OperationRecord, failed: boolean): string {
  if (!isCall(record)) return "operation";
  return failed ? "operation.call.failed" : "operation.call";
}

interface Description {
  readonly label: string;
  /** Amount, status or failure. */
  readonly outcome: string;
}

function describe(record: OperationRecord, nameOfAddress: (address: string) => string): Description {
  const name = (address: string | null): string => nameOfAddress(address ?? "");
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
