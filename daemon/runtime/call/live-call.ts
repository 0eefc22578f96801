// A call tree as data: the world around it, the callers, and the live calls.
import type { FunctionLogLevel } from "../../protocol/log-level.ts";
import type { Address } from "../../tezos/address.ts";
import type { Transaction } from "../ledger/transaction.ts";
import type { GuestCall, GuestEngine } from "./guest.ts";
import type { CallRequest, CallResponse } from "./http-message.ts";
import type { RecordedCall } from "./trace.ts";

export type Done = (response: CallResponse) => void;

/** What a call tree needs from its surroundings. */
export interface CallWorld {
  readonly engine: GuestEngine;
  /** Calls end as on the real runtime, also where it does less. */
  readonly strict: boolean;
  /** Limit of live smart function calls, the first included. */
  readonly maxLiveCalls: number;
  /** Contract that pays out withdrawals. */
  readonly exchangerAddress: Address;
  log(record: LogRecord): void;
  /** Called for each call; without a guest the engine had no room for it. */
  opened(guest: GuestCall | undefined): void;
  /** Sends a request to the outside; `done` is called later, never synchronously. @returns the request's id */
  askOracle(request: CallRequest, done: Done): number;
  /** Cancels a request whose answer is no longer needed. */
  cancelOracle(id: number): void;
  /** Whether an operation with this many live calls may wait for the outside. */
  mayWait(liveCalls: number): boolean;
}

export interface LogRecord {
  readonly address: string;
  /** Operation hash for logs of the top-level call; empty for others. */
  readonly requestId: string;
  readonly level: FunctionLogLevel;
  readonly text: string;
}

/** The maker of a request: a user at the top, or a live call. */
export interface Caller {
  readonly address: Address;
  readonly transaction: Transaction;
  readonly trace: RecordedCall | undefined;
  readonly children: Set<LiveCall>;
  readonly topLevel: boolean;
  /** Calls that it started at once and that have ended; on the real runtime they still live. */
  ended: number;
}

/** A smart function that is running or waiting. */
export interface LiveCall extends Caller {
  readonly trace: RecordedCall;
  readonly caller: Caller;
  readonly guest: GuestCall;
  readonly startedAt: number;
  readonly done: Done;
  /** Requests that the guest announced, not started yet. */
  readonly announced: { id: number; request: CallRequest }[];
  /** Responses not delivered yet. */
  readonly ready: { id: number; response: CallResponse }[];
  /** Bytes of their bodies. */
  readyBytes: number;
  readonly awaited: Set<number>;
  /** Its open requests to the outside. */
  readonly outside: Set<OutsideRequest>;
  /** Gas left to the operation when this call last ran. */
  gasSeen: bigint;
  driven: boolean;
  closed: boolean;
}

/** A request to the outside that a call waits for. */
export interface OutsideRequest {
  readonly call: LiveCall;
  readonly request: CallRequest;
  readonly done: Done;
  /** Set once it has been sent. */
  id: number | undefined;
}
