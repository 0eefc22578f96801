// The journal: for each change of the committed ledger what undoes it, and for each operation what is needed to run it
// again. Written by the core before it applies a change. The state before an operation is the present one with all
// later changes undone, its own included; so nothing is copied while operations run, and "which operation wrote this
// key last" is a search through the same entries.
import { Deque } from "../../parts/deque.ts";
import { accountText, type Ledger, type LedgerDifference, type LedgerWrite } from "../ledger/ledger.ts";
import { type Circumstances, circumstancesBytes } from "../operations/circumstances.ts";
import type { Job } from "../operations/jobs.ts";

export interface JournalBounds {
  readonly entries: number;
  /** Limit of the characters of jobs, answers and replaced values together. */
  readonly characters: number;
}

/** An operation as the journal keeps it. */
export interface RecordedRun {
  readonly job: Job;
  /** Undefined when it met nothing besides its job and the ledger. */
  readonly circumstances: Circumstances | undefined;
  /** Set when no executor finished it. */
  readonly isLost: boolean;
  /** Set when it has not run yet: the time that its calls see, where time does not stand still. */
  readonly now?: number;
}

export interface JournalEntry {
  /** Position; later entries have greater numbers. */
  readonly number: number;
  /** Undefined for a change outside of operations, and for the part of an operation before it waited. */
  readonly run: RecordedRun | undefined;
  readonly undo: LedgerDifference;
  readonly characters: number;
}

/** Why an operation cannot run again. */
export type JournalGap = "undone" | "dropped" | "unknown";

/** Counted for each entry and each undone write in addition to their texts. */
const OVERHEAD = 400;
const WRITE_OVERHEAD = 60;
/** Limit of the hashes kept of operations that a restored snapshot has undone. */
const MAX_UNDONE = 10_000;

export class Journal {
  readonly #bounds: JournalBounds;
  readonly #entries = new Deque<JournalEntry>();
  #characters = 0;
  #count = 0;
  /** Number of the newest change that the ledger contains. */
  #position = 0;
  #epoch = 0;
  readonly #byHash = new Map<string, JournalEntry>();
  #undone = new Set<string>();
  #dropped = 0;

  constructor(bounds: JournalBounds) {
    this.#bounds = bounds;
  }

  /**
   * Adds a change before it is applied.
   * @param ledger without the change
   * @param run the operation that ends with it, if any, to be found by its hash
   * @param bytes of the operation as received
   */
  add(ledger: Ledger, change: LedgerDifference, run?: RecordedRun, bytes = 0): void {
    if (run === undefined && change.writes.length + change.removed.length === 0) return;
    const { undo, size } = undoOf(ledger, change);
    const met = run?.circumstances;
    const characters = OVERHEAD + size + bytes + (met ? circumstancesBytes(met) : 0);
    const entry = { number: ++this.#count, run, undo, characters };
    this.#position = entry.number;
    this.#entries.push(entry);
    this.#characters += characters;
    if (run !== undefined) {
      this.#byHash.set(run.job.hash, entry);
      this.#undone.delete(run.job.hash);
    }
    while (this.#entries.size > this.#bounds.entries || this.#characters > this.#bounds.characters)
      if (!this.#dropOldest()) break;
  }

  #dropOldest(): boolean {
    const oldest = this.#entries.shift();
    if (oldest === undefined) return false;
    this.#forget(oldest);
    this.#dropped = oldest.number;
    return true;
  }

  #forget(entry: JournalEntry): void {
    this.#characters -= entry.characters;
    const hash = entry.run?.job.hash;
    if (hash !== undefined && this.#byHash.get(hash) === entry) this.#byHash.delete(hash);
  }

  find(hash: string): JournalEntry | undefined {
    return this.#byHash.get(hash);
  }

  /** @param isKnown whether the sandbox has a receipt under this hash */
  gapOf(hash: string, isKnown: boolean): JournalGap {
    if (this.#undone.has(hash)) return "undone";
    return isKnown ? "dropped" : "unknown";
  }

  /** Entries from a number on, newest first; undefined when they are no longer complete. */
  since(number: number): JournalEntry[] | undefined {
    if (number <= this.#dropped) return undefined;
    const found: JournalEntry[] = [];
    for (const entry of this.#entries.newestFirst()) {
      if (entry.number < number) break;
      found.push(entry);
    }
    return found;
  }

  get newest(): JournalEntry | undefined {
    return this.#entries.newest;
  }

  /** Number of the oldest entry that may still be there. */
  get oldestNumber(): number {
    return this.#dropped + 1;
  }

  /** All entries, newest first. */
  entries(): Generator<JournalEntry> {
    return this.#entries.newestFirst();
  }

  /** Whether it leads back to the start of the sandbox. */
  get isWhole(): boolean {
    return this.#dropped === 0;
  }

  /** The operations that can run again, oldest first. */
  runs(): RecordedRun[] {
    return [...this.#byHash.values()].flatMap(({ run }) => run ?? []);
  }

  /** Changes whenever a snapshot is restored: a state under way is then another. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The current position, for `forgetSince`. */
  get mark(): number {
    return this.#position;
  }

  /** The ledger goes back to a mark: later entries no longer lead to it. */
  forgetSince(mark: number): void {
    this.#epoch++;
    const stays = (entry: JournalEntry): boolean => entry.number <= mark;
    let newest: JournalEntry | undefined;
    for (const entry of this.#entries.newestFirst()) {
      if (!stays(entry)) continue;
      newest = entry;
      break;
    }
    // Entries between that one and the mark went with an earlier restore: what is left does not lead to this state.
    const isWhole = newest === undefined || newest.number === mark;
    while (this.#entries.newest && !(isWhole && stays(this.#entries.newest))) {
      const entry = this.#entries.pop()!;
      this.#forget(entry);
      if (entry.run !== undefined) this.#undone.add(entry.run.job.hash);
    }
    for (const hash of this.#undone) {
      if (this.#undone.size <= MAX_UNDONE) break;
      this.#undone.delete(hash);
    }
    this.#position = mark;
  }
}

/** What undoes a change of this ledger, and its size in characters. */
export function undoOf(ledger: Ledger, change: LedgerDifference): { undo: LedgerDifference; size: number } {
  const writes: LedgerWrite[] = [];
  const removed: ["account" | "code" | "ticket", string][] = [];
  let size = 0;
  const undo = (write: LedgerWrite): void => {
    const before = presentOf(ledger, write);
    const key = write[0] === "value" ? write[2].length : 0;
    size += WRITE_OVERHEAD + write[1].length + key + (before?.length ?? 0);
    if (write[0] === "value") writes.push(["value", write[1], write[2], before]);
    else if (write[0] === "ticket") {
      if (before === undefined) removed.push(["ticket", `${write[1]}/${write[2]}`]);
      else writes.push(["ticket", write[1], write[2], before]);
    } else if (before === undefined) removed.push([write[0], write[1]]);
    else writes.push([write[0], write[1], before]);
  };
  for (const write of change.writes) undo(write);
  for (const [what, key] of change.removed) {
    const slash = key.indexOf("/");
    undo(what === "ticket" ? [what, key.slice(0, slash), key.slice(slash + 1), ""] : [what, key, ""]);
  }
  return { undo: { writes, removed }, size };
}

/** What a write replaces; undefined for something new. */
function presentOf(ledger: Ledger, write: LedgerWrite): string | undefined {
  switch (write[0]) {
    case "account": {
      const account = ledger.account(write[1]);
      return account && accountText(account);
    }
    case "code":
      return ledger.code(write[1]);
    case "value":
      return ledger.value(write[1], write[2]);
    case "ticket": {
      const amount = ledger.ticket(write[1], write[2]);
      // An amount of 0 and no entry at all are the same to every reader.
      return amount === 0n ? undefined : amount.toString();
    }
  }
}
