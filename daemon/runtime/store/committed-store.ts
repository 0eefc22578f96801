// Everything the HTTP side reads: the committed ledger, receipts, traces, logs, recent deposits. It follows the
// executor outcome by outcome, each applied atomically, so that no reader sees half of an operation.
import type { FaDeposit, TezDeposit } from "../inbox/inbox-message.ts";
import { Ledger, type LedgerDifference } from "../ledger/ledger.ts";
import { BoundedMap } from "./bounded-map.ts";
import { Journal } from "./journal.ts";
import { LogStore } from "./log-store.ts";
import { textBytes } from "./text-bytes.ts";

export interface HistoryLimits {
  readonly receipts: number;
  readonly traces: number;
  readonly deposits: number;
  readonly logRecords: number;
}

// Limits of the texts kept, in bytes of memory, whatever their number.
const MAX_RECEIPT_TEXT = 32 * 1024 * 1024;
const MAX_DEPOSIT_TEXT = 16 * 1024 * 1024;
const MAX_TRACE_TEXT = 32 * 1024 * 1024;
const MAX_LOG_TEXT = 16 * 1024 * 1024;
const MAX_JOURNAL_TEXT = 32 * 1024 * 1024;

export interface StoredReceipt {
  readonly json: string;
  readonly success: boolean;
  /** Text of a failure. */
  readonly failure: string | null;
}

/** One finished operation for people: outcome and call tree. */
export interface StoredTrace {
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly success: boolean;
  readonly statusCode: number | null;
  readonly failure: string | null;
  readonly deployed: string | null;
  /** JSON text of the tree, or null when nothing was called. */
  readonly trace: string | null;
  /** Bytes of what `about` describes. */
  readonly size: number;
  readonly about: () => TraceDetails;
}

/** What was asked of the sandbox. */
export interface TraceDetails {
  readonly operation: string;
  readonly sender: string;
  /** Address of the function that was called or deployed. */
  readonly target: string | null;
  /** Method and path of a call, shortened, or null. */
  readonly call: string | null;
  /** JSON text of the request of a run, or null. */
  readonly request: string | null;
}

/** JSON text of a stored trace; created on demand, since most are never read. */
export function traceJson(stored: StoredTrace): string {
  const head = operationJson(stored).slice(0, -1);
  return `${head},"trace":${stored.trace ?? "null"},"request":${stored.about().request ?? "null"}}`;
}

/** The same without the call tree and the request, which may be long. */
export function operationJson(stored: StoredTrace): string {
  const { hash, at, success, statusCode, failure, deployed } = stored;
  const { operation, sender, target, call } = stored.about();
  const outcome = { success, statusCode, failure, deployed };
  return JSON.stringify({
    hash,
    operation,
    sender,
    ...outcome,
    target,
    call,
    at: new Date(at).toISOString(),
  });
}

export interface StoredDeposit {
  readonly level: number;
  /** Index of the message in the inbox of the level. */
  readonly index: number;
  readonly hash: string;
  readonly deposit: TezDeposit | FaDeposit;
  readonly receipt: string;
  readonly at: string;
}

export interface StoreSnapshot {
  readonly ledger: Ledger;
  readonly marks: readonly number[];
}

export class CommittedStore {
  readonly ledger = new Ledger();
  readonly receipts: BoundedMap<StoredReceipt>;
  readonly traces: BoundedMap<StoredTrace>;
  readonly deposits: BoundedMap<StoredDeposit>;
  readonly logs: LogStore;
  readonly journal: Journal;

  constructor(limits: HistoryLimits) {
    this.receipts = new BoundedMap({ entries: limits.receipts, size: MAX_RECEIPT_TEXT });
    this.traces = new BoundedMap({ entries: limits.traces, size: MAX_TRACE_TEXT });
    this.deposits = new BoundedMap({ entries: limits.deposits, size: MAX_DEPOSIT_TEXT });
    this.logs = new LogStore({ records: limits.logRecords, bytes: MAX_LOG_TEXT });
    this.journal = new Journal({ entries: 2 * limits.traces, characters: MAX_JOURNAL_TEXT });
  }

  /** The current state, for `restore`. */
  snapshot(): StoreSnapshot {
    return {
      ledger: this.ledger.copy(),
      marks: this.#histories().map((history) => history.mark),
    };
  }

  /**
   * Goes back to a snapshot. Later history is dropped; entries forgotten since (by the limits, or by restoring an older
   * snapshot) do not come back.
   * @returns what changed in the ledger
   */
  restore({ ledger, marks }: StoreSnapshot): LedgerDifference {
    const difference = this.ledger.differenceTo(ledger);
    this.ledger.amend(difference);
    this.#histories().forEach((history, i) => history.forgetSince(marks[i]!));
    return difference;
  }

  #histories() {
    return [this.receipts, this.traces, this.deposits, this.logs, this.journal] as const;
  }

  /**
   * Files a receipt. A replay says nothing about the operation executed under the same hash, nor does a copy with a
   * broken signature: so `NoncePassed` replaces nothing, and no failure replaces a success.
   * @returns whether it is kept
   */
  fileReceipt(hash: string, receipt: StoredReceipt): boolean {
    const known = this.receipts.get(hash);
    if (known !== undefined && !receipt.success && (known.success || receipt.failure === "NoncePassed"))
      return false;
    this.receipts.set(hash, receipt, textBytes(receipt.json));
    return true;
  }
}
