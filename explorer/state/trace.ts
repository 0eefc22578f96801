// Queries on the runtime's record of an operation.
import type {
  CallTrace,
  FinishedOperation,
  OperationTrace,
  TracedTransfer,
} from "../../daemon/protocol/call-trace.ts";

export type Operation = FinishedOperation & OperationTrace;

/** A call and all nested calls, outermost first. */
export function allCalls(call: CallTrace): CallTrace[] {
  return [call, ...call.calls.flatMap(allCalls)];
}

/** The committed calls; calls within a rolled back one are undone too. */
export function lastingCalls(call: CallTrace): CallTrace[] {
  return call.committed ? [call, ...call.calls.flatMap(lastingCalls)] : [];
}

export interface Change {
  readonly address: string;
  readonly key: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Changes of key-value stores, each key once, without rolled back calls. */
export function changesOf(root: CallTrace): Change[] {
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

/** Transfers in order, including amounts attached to calls and withdrawals. */
export function transfersOf(root: CallTrace): TracedTransfer[] {
  const moved = lastingCalls(root).flatMap(({ transfers }) => transfers);
  return moved.sort((one, other) => (one.seq ?? 0) - (other.seq ?? 0));
}

/** Where an error was thrown: the first stack frame with a file. */
export function sourcePosition(message: string): string | undefined {
  for (const line of message.split("\n")) {
    const place = /^\s*at (?:.*\()?([^()\s]+:\d+(?::\d+)?)\)?\s*$/.exec(line)?.[1];
    if (place !== undefined) return place;
  }
  return undefined;
}
