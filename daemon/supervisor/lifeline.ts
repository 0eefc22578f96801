// The lifetime of a daemon started with `--lifeline`: it lives while it has a lifeline (its stdin, or an open
// `/events?lifeline=1` connection), and shuts down one grace period after the last one closed.

/** Time without a lifeline until the daemon exits: a window reload reattaches well within it. */
export const LIFELINE_GRACE_MS = 10_000;

export interface LifelineOptions {
  readonly graceMs: number;
  readonly onLost: () => void;
}

export interface Lifelines {
  /** Adds a lifeline; the returned function ends it (idempotent). */
  attach(): () => void;
  readonly count: number;
  /** Stops the watch without calling `onLost`. */
  dispose(): void;
}

export function createLifelines({ graceMs, onLost }: LifelineOptions): Lifelines {
  let count = 0;
  let grace: NodeJS.Timeout | undefined;
  let disposed = false;

  return {
    attach() {
      clearTimeout(grace);
      count++;
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        count--;
        if (count === 0 && !disposed) grace = setTimeout(onLost, graceMs);
      };
    },
    get count() {
      return count;
    },
    dispose() {
      disposed = true;
      clearTimeout(grace);
    },
  };
}

/** Ends a lifeline at the end of a stream (the spawner has exited, however it died). */
export function attachStdin(lifelines: Lifelines, stdin: NodeJS.ReadStream): void {
  const end = lifelines.attach();
  stdin.on("end", end);
  stdin.on("close", end);
  stdin.on("error", end);
  stdin.resume();
}
