// Waits that Ctrl-C ends at once, with a message about what was already sent.
import { SandboxError } from "../daemon/protocol/errors.ts";
import { pause } from "../daemon/protocol/wait.ts";

/** The message when Ctrl-C ends a wait. */
export interface Interruption {
  /** What was waited for: "Waiting for layer 1". */
  readonly what: string;
  /** What happens to what was already sent. */
  readonly next: string;
}

/**
 * The result of the work, unless the signal aborts first: the work then continues, and its result is dropped.
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

export interface PollOptions extends Interruption {
  readonly signal: AbortSignal;
  /** Deadline and polling interval, in ms. */
  readonly limitMs: number;
  readonly pollMs: number;
  /** The error at the deadline. */
  late(): SandboxError;
  /** Whether there is a good reason at the deadline to wait as long once more. */
  isExcused?(): Promise<boolean>;
}

/** Polls until `read` returns a value. @throws SandboxError CANCELLED, that of `late`, and the errors of `read` */
export function pollUntil<T>(options: PollOptions, read: () => Promise<T | undefined>): Promise<T> {
  const { signal, limitMs, pollMs, late, what, next } = options;
  let end = performance.now() + limitMs;
  async function repeat(): Promise<T> {
    for (;;) {
      const value = await read();
      if (value !== undefined) return value;
      signal.throwIfAborted(); // the wait has already ended
      if (performance.now() > end) {
        if (!(await options.isExcused?.())) throw late();
        end = performance.now() + limitMs;
      }
      await pause(pollMs, signal);
    }
  }
  return interruptible(signal, { what, next }, repeat());
}
