// The runtime's record of an operation: a tree of calls with their key-value accesses, transfers and logs. Commands, the
// editor and the explorer read it.

/** Position among all entries and calls of the operation, from 0, since entries are grouped by kind. */
interface Placed {
  /** Missing in traces of some nodes. */
  readonly seq?: number | undefined;
}

export interface KeyAccess extends Placed {
  readonly op: "get" | "set" | "delete" | "has";
  readonly key: string;
  /** JSON text read or written; null for a missing key. */
  readonly value?: string | null;
  /** JSON text that a change replaced; null for a missing key. */
  readonly before?: string | null;
}

export interface TracedTransfer extends Placed {
  readonly from: string;
  readonly to: string;
  /** mutez, decimal */
  readonly amount: string;
}

/** Tickets of a token withdrawn to layer 1. */
export interface TracedTickets extends Placed {
  readonly from: string;
  readonly to: string;
  /** Tickets, decimal. */
  readonly amount: string;
  readonly ticketer: string;
}

export interface TracedLine extends Placed {
  readonly level: string;
  readonly text: string;
}

export interface CallTrace extends Placed {
  readonly caller: string;
  /** The called account; `jstz` for host functions, the host name for outside HTTP. */
  readonly address: string;
  readonly method: string;
  readonly path: string;
  /** Mutez sent with the request, decimal. */
  readonly amount: string;
  readonly status: number;
  /** Engine gas of this call alone. */
  readonly gas: number;
  readonly durationMs: number;
  /** False when the effects of this call and of its nested calls were rolled back. */
  readonly committed: boolean;
  readonly error?: { readonly class: string; readonly message: string };
  readonly kv: readonly KeyAccess[];
  readonly transfers: readonly TracedTransfer[];
  /** Missing when there were none. */
  readonly tickets?: readonly TracedTickets[];
  readonly logs: readonly TracedLine[];
  readonly calls: readonly CallTrace[];
}

/** The request of a call, as kept by the runtime. */
export interface KeptRequest {
  readonly uri: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>> | null;
  /** Base64; null for none, and when it was too large to keep. */
  readonly body: string | null;
  readonly bodySize: number;
  readonly gasLimit: string;
}

export interface OperationTrace {
  readonly hash: string;
  readonly operation: string;
  readonly sender: string;
  readonly success: boolean;
  readonly failure: string | null;
  /** Null for operations without a call; truncated when it was too long to keep. */
  readonly trace: { readonly call: CallTrace; readonly truncated: boolean } | null;
  /** Null for operations without a call, and when the node keeps no requests. */
  readonly request: KeptRequest | null;
}

/** A finished operation or deposit, as listed by `GET /traces` of runtime_node, without its call tree. */
export interface FinishedOperation extends Omit<OperationTrace, "trace" | "request"> {
  /** ISO time. */
  readonly at: string;
  readonly statusCode: number | null;
  /** Address of a deployed function. */
  readonly deployed: string | null;
  /** Address of the called or deployed function. */
  readonly target: string | null;
  /** Method and path of a call; missing in the lists of older versions. */
  readonly call?: string | null;
}

/** Entries in order of execution, as far as the trace has positions. */
export function inOrder<Entry extends Placed>(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((one, other) => (one.seq ?? 0) - (other.seq ?? 0));
}
