// The interface of a guest engine to the call semantics. The engine runs one module per call and knows nothing of
// addresses, tez or transactions; what the guest does to the world arrives here as effects.
import type { FunctionLogLevel } from "../../protocol/log-level.ts";
import type { Address } from "../../tezos/address.ts";
import type { Mutez } from "../../tezos/mutez.ts";
import type { LedgerView } from "../ledger/ledger.ts";
import type { CallRequest, CallResponse } from "./http-message.ts";

/** Thrown by an effect: the guest sees an exception of this class with this message. */
export class GuestFailure extends Error {
  readonly guestClass: string;

  constructor(guestClass: string, message: string) {
    super(message);
    this.guestClass = guestClass;
  }
}

/** What a running guest may do. All are synchronous; each may throw {@link GuestFailure}. */
export interface GuestEffects {
  readonly selfAddress: Address;
  /** The state that the call sees. To read it here has no effect, not even on the trace. */
  readonly view: LedgerView;
  /** JSON text stored under the key. */
  kvGet(key: string): string | undefined;
  kvSet(key: string, json: string): void;
  kvDelete(key: string): void;
  kvHas(key: string): boolean;
  balance(address: string): Mutez;
  transfer(to: string, amount: Mutez): void;
  /** Deploys a function; returns its address. */
  create(code: string, credit: Mutez): Address;
  log(level: FunctionLogLevel, text: string): void;
  /** Announces a request; its response is delivered later under the id. */
  fetch(id: number, request: CallRequest): void;
}

export type GuestStep =
  | { readonly kind: "response"; readonly response: CallResponse }
  /** The guest waits for the response to an announced request. */
  | { readonly kind: "waiting" }
  | { readonly kind: "error"; readonly class: string; readonly message: string };

/** One live call of a guest. */
export interface GuestCall {
  /** Milliseconds since 1970 that the guest sees; undefined where time stands still. */
  readonly time?: number | undefined;
  invoke(request: CallRequest): GuestStep;
  deliver(id: number, response: CallResponse): GuestStep;
  /** Charges gas for work done on behalf of the call, such as a nested call. */
  charge(units: bigint): void;
  /** Gas used so far, in engine units. */
  gasUsed(): bigint;
  /** Engine units by which the evaluation of its module raised its limit. */
  readonly raisedBy: bigint;
  close(): void;
}

interface GuestProgram {
  readonly code: string;
  readonly address: string;
  /** Engine units that the call may use. */
  readonly gas: bigint;
  /** Units that the evaluation of its module may use in addition, where the engine keeps what it made. */
  readonly moduleGas: bigint;
  /** Text that all randomness of the call is derived from. */
  readonly seed: string;
  /** What is asked of it, as its caller made it. */
  readonly request: CallRequest;
  readonly effects: GuestEffects;
}

export interface GuestEngine {
  /** Deploy-time checks; `problem` is the text of the failure, or undefined when the code is good. */
  check(
    code: string,
    specifier: string,
    gas: bigint,
  ): { readonly problem: string | undefined; readonly gasUsed: bigint };
  /** Memory of all calls that have not been closed, in bytes. */
  liveBytes(): number;
  /** Opens a call, or returns undefined when the engine has no room for another. */
  open(program: GuestProgram): GuestCall | undefined;
}
