// Messages between the HTTP side and the executor. Everything here is plain data: it crosses a thread.
import type { OperationContent } from "../../protocol/runtime-operation.ts";
import type { Address } from "../../tezos/address.ts";
import type { CallRequest, CallResponse } from "../call/http-message.ts";
import type { LogRecord } from "../call/live-call.ts";
import type { FaDeposit, TezDeposit } from "../inbox/inbox-message.ts";
import type { LedgerDifference, LedgerWrite } from "../ledger/ledger.ts";
import { type Circumstances, circumstancesBytes } from "./circumstances.ts";

/** Work for the executor, done in order of arrival. */
export type Job = OperationJob | DepositJob;

export interface OperationJob {
  readonly kind: "operation";
  readonly seq: number;
  /** 64 hex digits; the receipt is filed under it. */
  readonly hash: string;
  readonly sender: Address;
  readonly nonce: bigint;
  /** Why the signature is invalid, or null. */
  readonly refusal: string | null;
  readonly content: OperationContent;
  /** Set when the job runs again after the loss of an executor that had used up its nonce. */
  readonly nonceTaken?: boolean;
}

export interface DepositJob {
  readonly kind: "deposit";
  readonly seq: number;
  readonly hash: string;
  readonly deposit: TezDeposit | FaDeposit;
}

export type ExecutorInput =
  | { readonly kind: "seed"; readonly writes: readonly LedgerWrite[] }
  /** Restores the ledger to another state. Sent only while no job is in flight. */
  | { readonly kind: "amend"; readonly difference: LedgerDifference }
  /** Jobs of a round. A slow job starts a new round, and the remaining jobs of earlier rounds are returned. */
  | { readonly kind: "jobs"; readonly round: number; readonly jobs: readonly Job[] }
  /** Answer from outside to a request of a waiting job. */
  | { readonly kind: "oracle"; readonly requestId: number; readonly response: CallResponse };

export type ExecutorOutput =
  | { readonly kind: "ready" }
  | { readonly kind: "finished"; readonly outcome: Outcome }
  /** A job waits for the outside; its progress so far is included. */
  | {
      readonly kind: "waiting";
      readonly seq: number;
      readonly writes: readonly LedgerWrite[];
      readonly logs: readonly LogRecord[];
    }
  | { readonly kind: "ask"; readonly seq: number; readonly requestId: number; readonly request: CallRequest }
  /** A request has its answer, or no longer needs one. */
  | { readonly kind: "closed"; readonly requestId: number }
  /** A new executor starts: answers to the previous one's requests are no longer needed. */
  | { readonly kind: "replaced" }
  /** A job was slow, with its milliseconds: a new round begins. */
  | { readonly kind: "slow"; readonly seq: number; readonly ms: number }
  /** Jobs of an earlier round, by their `seq`, that have not started. */
  | { readonly kind: "returned"; readonly seqs: readonly number[] }
  /** A bug of ours, already turned into a failing receipt. */
  | { readonly kind: "fault"; readonly seq: number; readonly reason: string }
  | EngineState;

/** Output about jobs; the rest serves the watch over the thread. */
export type JobOutput = Exclude<ExecutorOutput, { kind: "ready" | "slow" | "returned" } | EngineState>;

/** State of the thread's engine; concerns no single job. */
export type EngineState =
  /** A call has succeeded, for the first time since the thread started. */
  | { readonly kind: "proven" }
  /** All calls fail by faults of the engine: the thread accepts no more work. */
  | { readonly kind: "broken"; readonly reason: string }
  /** An instance differed from its image after a restore and was discarded. */
  | { readonly kind: "damage"; readonly seq: number; readonly reason: string };

/** Approximate bytes of an output that may be large. */
export const outputBytes = (output: ExecutorOutput): number =>
  output.kind === "finished"
    ? output.outcome.receipt.length +
      (output.outcome.trace?.length ?? 0) +
      (output.outcome.circumstances ? circumstancesBytes(output.outcome.circumstances) : 0)
    : 0;

/** Milliseconds from which a job is slow: others may run before the next one of its sender. */
export const LONG_JOB_MS = 100;

/** Cells shared by both threads. */
export const RUNNING = 0;
/** Bytes of outputs that the HTTP side has not read: above a limit the executor waits. */
export const UNREAD = 1;
/** Messages of committed operations that layer 1 has not accepted. */
export const UNTAKEN = 2;
export const newCells = (): Int32Array<SharedArrayBuffer> => new Int32Array(new SharedArrayBuffer(12));

export interface Outcome {
  readonly seq: number;
  readonly receipt: string;
  readonly success: boolean;
  /** Failure text, or null. */
  readonly failure: string | null;
  /** Status of a run, or null. */
  readonly statusCode: number | null;
  /** Address of a deployed function, or null. */
  readonly deployed: string | null;
  readonly writes: readonly LedgerWrite[];
  readonly logs: readonly LogRecord[];
  /** JSON text of the call tree, or null when nothing was called. */
  readonly trace: string | null;
  readonly outbox: readonly Uint8Array[];
  /** What it met besides job and ledger, if anything. */
  readonly circumstances?: Circumstances;
  /** Set when no executor finished the operation, which therefore cannot run again and end the same. */
  readonly isLost?: true;
}
