// A tree of calls as data: the world around it, who calls, and what runs.
import type { Address } from "../../tezos/address.ts";
import type { Transaction } from "../ledger/transaction.ts";
import type { GuestCall, GuestEngine, LogLevel } from "./guest.ts";
import type { CallRequest, CallResponse } from "./http-message.ts";
import type { CallTrace } from "./trace.ts";

export type Done = (response: CallResponse) => void;

/** What a tree of calls needs of the world around it. */
export interface CallWorld {
  readonly engine: GuestEngine;
  /** Live smart function calls at once, the first counted. */
  readonly maxLiveCalls: number;
  /** Contract that pays withdrawals out. */
  readonly exchangerAddress: Address;
  log(record: LogRecord): void;
  /** Sends a request to the outside; `done` is called later, never at once. @returns its number */
  askOracle(request: CallRequest, done: Done): number;
  /** Nobody waits for the answer any more. */
  cancelOracle(id: number): void;
  /** Whether an operation with this many live calls may wait for the outside. */
  mayWait(liveCalls: number): boolean;
}

export interface LogRecord {
  readonly address: string;
  /** Operation hash for logs of the top-level call, else empty. */
  readonly requestId: string;
  readonly level: LogLevel;
  readonly text: string;
}

/** Who makes a request: a user at the top, or a live call. */
export interface Caller {
  readonly address: Address;
  readonly transaction: Transaction;
  readonly trace: CallTrace | undefined;
  readonly children: Set<LiveCall>;
  readonly topLevel: boolean;
}

/** A smart function that is running or waiting. */
export interface LiveCall extends Caller {
  readonly trace: CallTrace;
  readonly caller: Caller;
  readonly guest: GuestCall;
  readonly startedAt: number;
  readonly done: Done;
  /** Requests that the guest announced and that have not been started. */
  readonly announced: { id: number; request: CallRequest }[];
  /** Responses that have not been delivered. */
  readonly ready: { id: number; response: CallResponse }[];
  /** Bytes of their bodies. */
  readyBytes: number;
  readonly awaited: Set<number>;
  /** Its own requests to the outside that have no answer. */
  readonly outside: Set<OutsideRequest>;
  /** Gas of the operation when this call last ran. */
  gasSeen: bigint;
  driven: boolean;
  closed: boolean;
}

/** A request to the outside that a call waits for. */
export interface OutsideRequest {
  readonly call: LiveCall;
  readonly request: CallRequest;
  readonly done: Done;
  /** Its number once it has been sent. */
  id: number | undefined;
}
