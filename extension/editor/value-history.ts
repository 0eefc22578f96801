// "History of This Value": the operations that wrote a key, the oldest first. The chosen one opens in the debugger at the
// line that wrote it.
import * as vscode from "vscode";
import { createDebugClient } from "../../daemon/client/debug-client.ts";
import { historyOf } from "../../daemon/debug-adapter/adapter-host.ts";
import { findAdminSecret } from "../../daemon/local/kept-secrets.ts";
import type { HistoryEntry, ValueHistory } from "../../daemon/protocol/debug-session-api.ts";
import { showInformation, withoutIcons } from "../messages.ts";
import { type SessionDependencies, ensureRunning } from "../session/dependencies.ts";
import { showFailure } from "../session/failures.ts";
import { debugWrite } from "./debug-sessions.ts";

/** Characters shown of a value. */
const MAX_VALUE = 100;

interface Item extends vscode.QuickPickItem {
  readonly hash: string;
}

export async function showValueHistory(
  dependencies: SessionDependencies,
  { address, key }: { readonly address: string; readonly key: string },
): Promise<void> {
  if (!(await ensureRunning(dependencies))) return;
  const title = vscode.l10n.t("History of {0}", valueText(key));
  let history: ValueHistory;
  try {
    const endpoint = dependencies.session.sandbox!.sandboxd;
    const client = createDebugClient(endpoint, {
      adminSecret: () => findAdminSecret(endpoint, process.env),
    });
    history = await historyOf({ ask: (body) => client.session(body) }, { address, key });
  } catch (error) {
    return showFailure(dependencies.log, title, error);
  }
  const items = historyItems(history);
  if (items.length === 0) {
    await showInformation(vscode.l10n.t("The sandbox keeps no operation that wrote {0}.", key));
    return;
  }
  const placeHolder = history.isWhole
    ? vscode.l10n.t("Operations that wrote it, the oldest first: choose one to debug it")
    : vscode.l10n.t("Operations that wrote it, the oldest of those kept first: choose one to debug it");
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDetail: true });
  if (chosen !== undefined) await debugWrite(address, key, chosen.hash);
}

/** The oldest first; those that cannot run again are left out. */
export const historyItems = ({ entries }: Pick<ValueHistory, "entries">): Item[] =>
  entries
    .filter(({ canReplay }) => canReplay)
    .map((entry) => ({
      label: `${valueText(entry.before)} → ${valueText(entry.after)}`,
      detail: entry.hash,
      hash: entry.hash,
    }))
    .reverse();

function valueText(json: HistoryEntry["after"]): string {
  if (json === null) return vscode.l10n.t("(nothing)");
  return withoutIcons(json.length > MAX_VALUE ? `${json.slice(0, MAX_VALUE)}…` : json);
}
