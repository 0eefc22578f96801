// View "Accounts": the bootstrap accounts with their layer 1 balances, and the user's runtime accounts.
import * as vscode from "vscode";
import type { AccountRow } from "../../daemon/protocol/sandbox-api.ts";
import { formatTez } from "../../daemon/protocol/tez-text.ts";
import type { KnownAccount, KnownAccounts } from "../session/known-accounts.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";
import { accountTooltip, refreshingTree, type TreeNode } from "./tree.ts";

export function createAccountsView(
  session: SandboxSession,
  known: KnownAccounts,
): { provider: vscode.TreeDataProvider<TreeNode>; refresh(): void } & vscode.Disposable {
  const tree = refreshingTree(async (parent) => {
    if (parent || !session.sandbox) return [];
    const own = known.list.filter(({ kind }) => kind === "user");
    const addresses = own.map(({ address }) => address);
    const [inRuntime, onLayer1] = await Promise.all([
      session
        .runtime()
        ?.balances(addresses)
        .catch(() => undefined),
      session.layer1Balances(addresses),
    ]);
    const balancesOf = (address: string): Balances => ({
      inRuntime: inRuntime && (inRuntime.get(address) ?? 0n),
      onLayer1: onLayer1.get(address),
    });
    return [
      ...session.accounts.map(bootstrapNode),
      ...own.map((account) =>
        userNode(account, balancesOf(account.address), account.alias === known.current),
      ),
    ];
  });
  const subscriptions = [
    session.onChange((change) => {
      if (change === "state" || change === "accounts" || change === "operations") tree.refresh();
    }),
    known.onChange(() => tree.refresh()),
  ];
  return {
    provider: tree.provider,
    refresh: () => tree.refresh(),
    dispose: () => subscriptions.forEach((subscription) => subscription.dispose()),
  };
}

function bootstrapNode(row: AccountRow): TreeNode {
  const layer1 = BigInt(row.layer1_balance);
  const runtime = BigInt(row.runtime_balance);
  const inRuntime = runtime > 0n ? vscode.l10n.t(" · {0} in the runtime", `${formatTez(runtime)} ꜩ`) : "";
  const tooltip = accountTooltip(row.label, row.address, [
    vscode.l10n.t("Layer 1: {0} mutez", row.layer1_balance),
    vscode.l10n.t("Runtime: {0} mutez", row.runtime_balance),
  ]);
  return {
    id: `account.${row.address}`,
    label: row.label,
    description: `${formatTez(layer1)} ꜩ${inRuntime}`,
    tooltip,
    icon: "account",
    contextValue: layer1 > 0n ? "account.l1.funded" : "account.l1",
    value: row.address,
    alias: row.label,
    spoken:
      runtime > 0n
        ? vscode.l10n.t(
            "{0}, layer 1 balance {1} tez, runtime balance {2} tez",
            row.label,
            formatTez(layer1),
            formatTez(runtime),
          )
        : vscode.l10n.t("{0}, layer 1 balance {1} tez", row.label, formatTez(layer1)),
  };
}

/** In mutez; undefined when it could not be read. */
interface Balances {
  readonly inRuntime: bigint | undefined;
  readonly onLayer1: bigint | undefined;
}

function userNode(account: KnownAccount, { inRuntime, onLayer1 }: Balances, current: boolean): TreeNode {
  const tez = inRuntime === undefined ? "?" : formatTez(inRuntime);
  // Most accounts have nothing there: a withdrawal arrives on layer 1.
  const layer1 = onLayer1 === undefined || onLayer1 === 0n ? undefined : formatTez(onLayer1);
  const { alias, address } = account;
  const tooltip = accountTooltip(alias, address, [
    vscode.l10n.t("Runtime: {0} mutez", inRuntime?.toString() ?? "?"),
    vscode.l10n.t("Layer 1: {0} mutez", onLayer1?.toString() ?? "?"),
  ]);
  return {
    id: `account.own.${alias}`, // the same key may be here twice, or be a bootstrap account's
    label: alias,
    description: [
      `${tez} ꜩ`,
      ...(layer1 === undefined ? [] : [vscode.l10n.t("{0} on layer 1", `${layer1} ꜩ`)]),
      ...(current ? [vscode.l10n.t("in use")] : []),
    ].join(" · "),
    tooltip,
    icon: current ? "person-filled" : "person",
    contextValue: current ? "account.runtime.current" : "account.runtime",
    value: address,
    alias,
    spoken: [
      alias,
      ...(current ? [vscode.l10n.t("in use")] : []),
      vscode.l10n.t("runtime balance {0} tez", tez),
      ...(layer1 === undefined ? [] : [vscode.l10n.t("layer 1 balance {0} tez", layer1)]),
    ].join(", "),
  };
}
