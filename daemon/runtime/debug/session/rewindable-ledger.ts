// A ledger that goes back: each pass of a session runs on the state before the operation, also when it is cut off.
import { Ledger, type LedgerDifference, type LedgerWrite } from "../../ledger/ledger.ts";
import { undoOf } from "../../store/journal.ts";

export class RewindableLedger extends Ledger {
  #undo: LedgerDifference[] | undefined;

  /** From now on writes can be undone. */
  fix(): void {
    this.#undo = [];
  }

  override apply(write: LedgerWrite): void {
    this.#undo?.push(undoOf(this, { writes: [write], removed: [] }).undo);
    super.apply(write);
  }

  /** Goes back to where it was fixed. */
  rewind(): void {
    const steps = this.#undo ?? [];
    this.#undo = undefined;
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) this.amend(step);
    this.fix();
  }
}
