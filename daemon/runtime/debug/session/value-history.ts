// Which operations changed a key or a balance, by the journal: it has what each change replaced.
import type { HistoryEntry, ValueHistory } from "../../../protocol/debug-session-api.ts";
import { type LedgerDifference, type LedgerView, parseAccountText } from "../../ledger/ledger.ts";
import type { JournalEntry } from "../../store/journal.ts";
import { obstacleOf } from "../obstacle.ts";

const MAX_ENTRIES = 1_000;

/** A key of a function's store; without a key the balance of an account. */
export interface WatchedValue {
  readonly address: string;
  readonly key: string | undefined;
}

/**
 * @param entries the newest first
 * @param isWhole whether the journal goes back to the start
 */
export function historyOf(
  entries: Iterable<JournalEntry>,
  ledger: LedgerView,
  value: WatchedValue,
  isWhole: boolean,
): ValueHistory {
  const { address, key } = value;
  let after =
    key === undefined
      ? (ledger.account(address)?.amount.toString() ?? null)
      : (ledger.value(address, key) ?? null);
  const found: HistoryEntry[] = [];
  for (const { undo, run } of entries) {
    const before = replacedBy(undo, value);
    if (before === undefined || before === after) continue;
    if (found.length === MAX_ENTRIES) return { entries: found, isWhole: false };
    if (run !== undefined)
      found.push({ hash: run.job.hash, before, after, canReplay: obstacleOf(run) === undefined });
    after = before;
  }
  return { entries: found, isWhole };
}

/** What a change replaced; null for nothing, undefined when it did not touch the value. */
function replacedBy(
  { writes, removed }: LedgerDifference,
  { address, key }: WatchedValue,
): string | null | undefined {
  for (const write of writes) {
    if (key !== undefined && write[0] === "value" && write[1] === address && write[2] === key)
      return write[3] ?? null;
    if (key === undefined && write[0] === "account" && write[1] === address)
      return parseAccountText(write[2]).amount.toString();
  }
  if (key === undefined && removed.some(([what, name]) => what === "account" && name === address))
    return null;
  return undefined;
}
