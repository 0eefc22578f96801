// A timer for limits on work of this process. The whole process may stand still: a paused container, a closed laptop, a
// debugger, Ctrl-Z. The work that the limit is for stood still too, so such time hardly counts.

/** Parts of a limit: however long the process stands still, only the current part ends by it. */
const STEPS = 10;

export interface RunningTimer {
  cancel(): void;
  /** Does not keep the process alive. */
  unref(): RunningTimer;
}

/** Calls `run` once after `ms` milliseconds in which this process was running. */
export function afterRunning(ms: number, run: () => void): RunningTimer {
  let step = 0;
  const timer = setInterval(() => {
    if (++step < STEPS) return;
    clearInterval(timer);
    run();
  }, ms / STEPS);
  const self: RunningTimer = {
    cancel: () => clearInterval(timer),
    unref() {
      timer.unref();
      return self;
    },
  };
  return self;
}
