// What one job gathers for its report, and how it ends: by a result, or by what was thrown.
import { reasonOf } from "../../protocol/errors.ts";
import { GuestFailure } from "../call/guest.ts";
import type { LogRecord } from "../call/live-call.ts";
import { ProtocolError } from "../ledger/ledger-error.ts";
import type { LedgerWrite } from "../ledger/ledger.ts";
import { CircumstancesRecorder } from "./circumstances.ts";
import type { ExecutorOutput, Job } from "./jobs.ts";
import { receiptJson, type ReceiptResult } from "./receipt.ts";

export class JobProgress {
  readonly job: Job;
  /** Committed, and not yet reported. */
  writes: LedgerWrite[] = [];
  /** Not yet reported. */
  logs: LogRecord[] = [];
  readonly outbox: Uint8Array[] = [];
  trace: string | null = null;
  finished = false;
  readonly met = new CircumstancesRecorder();
  /** Called instead of filing a failed receipt, where a failure would lose something. */
  salvage: ((reason: string) => void) | undefined;
  readonly #emit: (output: ExecutorOutput) => void;

  constructor(job: Job, emit: (output: ExecutorOutput) => void) {
    this.job = job;
    this.#emit = emit;
  }

  /** Reports what it has written and logged, before it waits or another job is reported. */
  reportSoFar(): void {
    this.#emit({ kind: "waiting", seq: this.job.seq, writes: this.writes, logs: this.logs });
    this.writes = [];
    this.logs = [];
  }

  /** Ends it by what its work threw. @throws the error again if it has already ended */
  fail(error: unknown): void {
    if (this.finished) throw error;
    if (error instanceof ProtocolError || error instanceof GuestFailure) return this.#giveUp(error.message);
    this.#emit({ kind: "fault", seq: this.job.seq, reason: reasonOf(error) });
    this.#giveUp(`InternalError: ${reasonOf(error)}`);
  }

  #giveUp(reason: string): void {
    const { salvage } = this;
    this.salvage = undefined;
    try {
      if (salvage) return salvage(reason);
    } catch (error) {
      // One operation fails; an error that left this thread would end it for all.
      this.#emit({ kind: "fault", seq: this.job.seq, reason: reasonOf(error) });
    }
    this.finish(failedResult(reason));
  }

  finish(result: ReceiptResult): void {
    this.finished = true;
    const inner = result._type === "Success" ? result.inner : undefined;
    const circumstances = this.met.recorded();
    this.#emit({
      kind: "finished",
      outcome: {
        seq: this.job.seq,
        receipt: receiptJson(this.job.hash, result),
        success: result._type === "Success",
        failure: result._type === "Failed" ? result.inner : null,
        statusCode: inner?._type === "RunFunction" ? inner.statusCode : null,
        deployed: inner?._type === "DeployFunction" ? inner.address : null,
        writes: this.writes,
        logs: this.logs,
        trace: this.trace,
        outbox: this.outbox,
        ...(circumstances && { circumstances }),
      },
    });
  }
}

/** Failure texts are cut here: a function can throw a text of any size. */
const MAX_FAILURE = 64 * 1024;

export const failedResult = (text: string): ReceiptResult => ({
  _type: "Failed",
  inner: text.length <= MAX_FAILURE ? text : `${text.slice(0, MAX_FAILURE)}…`,
});
