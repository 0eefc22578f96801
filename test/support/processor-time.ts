/**
 * Milliseconds of processor time that this process has used. Tests that judge how much is computed measure with it: on a
 * busy machine any wall time may pass between two statements.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The most milliseconds of processor time that one turn of the event loop takes until a promise settles. */
export async function longestTurn(work: Promise<unknown>): Promise<number> {
  const settled = new AbortController();
  const end = (): void => settled.abort();
  work.then(end, end);
  let longest = 0;
  while (!settled.signal.aborted) {
    const begun = processorTime();
    await new Promise((resolve) => setImmediate(resolve));
    longest = Math.max(longest, processorTime() - begun);
  }
  return longest;
}
