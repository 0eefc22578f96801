// The record of an operation, as the runtime tells it, and what can be read off it.

interface Placed {
  readonly seq?: number;
}

export interface KeyAccess extends Placed {
  readonly op: "get" | "set" | "delete" | "has";
  readonly key: string;
  readonly value?: string | null;
  readonly before?: string | null;
}

export interface Moved extends Placed {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
}

export interface Call extends Placed {
  readonly caller: string;
  readonly address: string;
  readonly method: string;
  readonly path: string;
  readonly amount: string;
  readonly status: number;
  readonly gas: number;
  readonly durationMs: number;
  readonly committed: boolean;
  readonly error?: { readonly class: string; readonly message: string };
  readonly kv: readonly KeyAccess[];
  readonly transfers: readonly Moved[];
  readonly logs: readonly (Placed & { readonly level: string; readonly text: string })[];
  readonly calls: readonly Call[];
}

export interface KeptRequest {
  readonly uri: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>> | null;
  /** Base64; null for none, and where it was too large to be kept. */
  readonly body: string | null;
  readonly bodySize: number;
  readonly gasLimit: string;
}

export interface Operation {
  readonly hash: string;
  readonly at: string;
  readonly operation: string;
  readonly sender: string;
  readonly success: boolean;
  readonly statusCode: number | null;
  readonly failure: string | null;
  readonly deployed: string | null;
  readonly target: string | null;
  readonly trace: { readonly call: Call; readonly truncated: boolean } | null;
  readonly request: KeptRequest | null;
}

export interface RunResponse {
  readonly _type: "RunFunction";
  readonly body: string | null;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

export interface Receipt {
  readonly result:
    | { readonly _type: "Success"; readonly inner: { readonly _type: string } | RunResponse }
    | { readonly _type: "Failed"; readonly inner: string };
}

/** A call and all that it called, from the outside in. */
export function allCalls(call: Call): Call[] {
  return [call, ...call.calls.flatMap(allCalls)];
}

/** The calls whose effects hold: what a call that was rolled back called is undone as well. */
export function lastingCalls(call: Call): Call[] {
  return call.committed ? [call, ...call.calls.flatMap(lastingCalls)] : [];
}

/** Gas of a call with all that it called. */
export const totalGas = (call: Call): number =>
  call.calls.reduce((sum, child) => sum + totalGas(child), call.gas);

export interface Change {
  readonly address: string;
  readonly key: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What the operation changed in stores, each key once; nothing of calls that were rolled back. */
export function changesOf(root: Call): Change[] {
  const changes = new Map<string, Change>();
  const accesses = lastingCalls(root).flatMap(({ address, kv }) => kv.map((access) => ({ address, access })));
  accesses.sort((one, other) => (one.access.seq ?? 0) - (other.access.seq ?? 0));
  for (const { address, access } of accesses) {
    if (access.op !== "set" && access.op !== "delete") continue;
    const place = `${address}/${access.key}`;
    const known = changes.get(place);
    const before = known ? known.before : (access.before ?? null);
    changes.set(place, { address, key: access.key, before, after: access.value ?? null });
  }
  return [...changes.values()].filter(({ before, after }) => before !== after);
}

/** Transfers, amounts attached to calls and withdrawals among them, in the order in which they happened. */
export function transfersOf(root: Call): Moved[] {
  const moved = lastingCalls(root).flatMap(({ transfers }) => transfers);
  return moved.sort((one, other) => (one.seq ?? 0) - (other.seq ?? 0));
}

/** The call that failed first, innermost. */
export function failedCall(root: Call): Call | undefined {
  for (const child of root.calls) {
    const found = failedCall(child);
    if (found) return found;
  }
  return root.error ? root : undefined;
}

/** Where an error was thrown: the first place in its stack that has a file. */
export function sourcePosition(message: string): string | undefined {
  for (const line of message.split("\n")) {
    const place = /^\s*at (?:.*\()?([^()\s]+:\d+(?::\d+)?)\)?\s*$/.exec(line)?.[1];
    if (place !== undefined) return place;
  }
  return undefined;
}
