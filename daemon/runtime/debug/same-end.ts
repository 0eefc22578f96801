// Whether a replay ended as the operation did: by its receipt, and by its trace, which has the gas of every call.
import type { Outcome } from "../operations/jobs.ts";

/** @param receipt and `trace` of the first time, as far as they are kept */
export function isSameEnd(
  again: Outcome,
  receipt: string | undefined,
  trace: string | null | undefined,
): boolean {
  if (receipt !== undefined && again.receipt !== receipt) return false;
  if (trace === undefined) return true;
  return timeless(again.trace) === timeless(trace);
}

const timeless = (trace: string | null): string | null =>
  trace && trace.replace(/"durationMs":[\d.e+-]+/g, '"durationMs":0');
