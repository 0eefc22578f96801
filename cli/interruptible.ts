// Waits that Ctrl-C ends at once, with a word on what was sent before.
import { SandboxError } from "../daemon/protocol/errors.ts";
import { pause } from "../daemon/protocol/wait.ts";

/** What the user is told when Ctrl-C ends a wait. */
export interface Interruption {
  /** What was waited for: "Waiting for layer 1". */
  readonly what: string;
  /** What becomes of what is sent already. */
  readonly next: string;
}

/**
 * The result of the work, unless the signal aborts before: what the work still does then is nobody's any more.
 * @throws SandboxError CANCELLED, and what the work throws
 */
export async function interruptible<T>(
  signal: AbortSignal,
  interruption: Interruption,
  work: Promise<T>,
): Promise<T> {
  let interrupt = (): void => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = () => reject(new SandboxError("CANCELLED", { ...interruption }));
    signal.addEventListener("abort", interrupt);
    if (signal.aborted) interrupt();
  });
  try {
    return await Promise.race([interrupted, work]);
  } finally {
    signal.removeEventListener("abort", interrupt);
  }
}

export interface LookOptions extends Interruption {
  readonly signal: AbortSignal;
  /** Time limit and time between looks, in ms. */
  readonly limitMs: number;
  readonly pollMs: number;
  /** The error when the time is over. */
  late(): SandboxError;
}

/** Looks until there is something to see. @throws SandboxError CANCELLED, that of `late`, and what a look throws */
export function lookUntil<T>(options: LookOptions, look: () => Promise<T | undefined>): Promise<T> {
  const { signal, limitMs, pollMs, late, what, next } = options;
  const end = performance.now() + limitMs;
  async function repeat(): Promise<T> {
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      signal.throwIfAborted(); // the wait has ended already
      if (performance.now() > end) throw late();
      await pause(pollMs, signal);
    }
  }
  return interruptible(signal, { what, next }, repeat());
}
