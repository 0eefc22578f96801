// Operations that scripts emit, as the chain carries them out.
import type { Micheline } from "../../tezos/micheline.ts";
import type { Type } from "./type.ts";
import type { Value } from "./value.ts";

interface Emitted {
  readonly nonce: number;
  /** The contract that emitted it. */
  readonly source: string;
}

export interface InternalTransaction extends Emitted {
  readonly kind: "transaction";
  readonly amount: bigint;
  readonly destination: string;
  readonly entrypoint: string;
  readonly type: Type;
  readonly argument: Value;
  /** The argument as receipts show it. */
  readonly written: Micheline;
}

export interface InternalOrigination extends Emitted {
  readonly kind: "origination";
  readonly address: string;
  readonly balance: bigint;
  readonly delegate: string | undefined;
  readonly code: Micheline;
  readonly storageType: Type;
  readonly storage: Value;
  readonly written: Micheline;
}

export interface InternalDelegation extends Emitted {
  readonly kind: "delegation";
  readonly delegate: string | undefined;
}

export interface InternalEvent extends Emitted {
  readonly kind: "event";
  readonly tag: string | undefined;
  readonly type: Type;
  readonly written: Micheline;
}

export type InternalOperation =
  InternalTransaction | InternalOrigination | InternalDelegation | InternalEvent;
