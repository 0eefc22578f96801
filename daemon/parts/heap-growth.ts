// How far the heaps of this process may grow before the next full collection. V8 lets garbage grow to several times the
// live heap. Operations and answers of megabytes turn into garbage at once, so a flood of them would waste hundreds of
// megabytes; growing by half is fast enough. A small heap may double: it is collected half as often then, and wastes little.
import type { PerformanceEntry } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";

/** Bytes in use up to which a heap is small. */
const SMALL = 64 * 1024 * 1024;
const BY_HALF = 50;
const BY_ALL = 100;

/** Sets the growth in percent of the live heap, for all threads of the process. */
const growBy = (percent: number): void => setFlagsFromString(`--heap-growing-percent=${percent}`);

/**
 * Limits the growth, and lets the main thread's heap double while it is small. Looks at it after each full collection.
 * Call it once all is loaded: V8 refuses compiled code of a process with other flags, that of Node's own modules
 * included, and compiling these takes some 15 ms of each thread. So threads that are still loading have `settleMs`, unless
 * the main thread's heap needs a full collection, because it is filling up before that.
 */
export async function adaptHeapGrowth(settleMs = 0): Promise<void> {
  const { constants, PerformanceObserver } = await import("node:perf_hooks");
  let current = 0;
  const adapt = (): void => {
    const wanted = getHeapStatistics().used_heap_size < SMALL ? BY_ALL : BY_HALF;
    if (wanted !== current) growBy((current = wanted));
  };
  const isFull = (entry: PerformanceEntry & { readonly detail?: unknown }): boolean =>
    (entry.detail as { kind: number }).kind !== constants.NODE_PERFORMANCE_GC_MINOR;
  new PerformanceObserver((list) => void (list.getEntries().some(isFull) && adapt())).observe({
    entryTypes: ["gc"],
  });
  setTimeout(adapt, settleMs).unref();
}
