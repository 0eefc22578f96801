// The gate of a debugger: each call of a smart function is kept back, with everything behind it, until the debugger has
// looked at a run of it on the present state. One call at a time, each for a limited time; one at which nobody looks
// after that keeps no other back.
import type { ReleasedBy } from "../../protocol/debug-session-api.ts";
import type { HeldOperation } from "../../protocol/held-operation.ts";
import type { GateExecutor, JobGate } from "../job-entrance.ts";
import type { Job, OperationJob } from "../operations/jobs.ts";

export interface HoldGateOptions {
  readonly holdMs: number;
  readonly onHeld: (hash: string) => void;
  readonly onReleased: (hash: string, by: ReleasedBy) => void;
}

interface Held {
  readonly job: OperationJob;
  /** By the monotonic clock. */
  readonly until: number;
  readonly timer: NodeJS.Timeout;
}

export class HoldGate implements JobGate {
  readonly #executor: GateExecutor;
  readonly #options: HoldGateOptions;
  /** Jobs that have not gone on, in order; the first is the held one, if any. */
  readonly #jobs: Job[] = [];
  #held: Held | undefined;
  /** The call at which the debugger looks; meanwhile others go on as ever. */
  #shown: string | undefined;
  #isFlushing = false;

  constructor(executor: GateExecutor, options: HoldGateOptions) {
    this.#executor = executor;
    this.#options = options;
  }

  get queued(): number {
    return this.#jobs.length;
  }

  get held(): HeldOperation | undefined {
    if (this.#held === undefined) return undefined;
    const { job, until } = this.#held;
    const seconds = Math.max(0, (until - performance.now()) / 1000);
    return { hash: job.hash, waiting: this.#jobs.length - 1, seconds };
  }

  /** The call under this hash while it is held. */
  heldJob(hash: string): OperationJob | undefined {
    return this.#held?.job.hash === hash ? this.#held.job : undefined;
  }

  push(job: Job): void {
    this.#jobs.push(job);
    this.#pass();
  }

  progressed(): void {
    this.#pass();
  }

  /** The call goes on; the debugger may still look at it. */
  release(hash: string): void {
    if (this.#held?.job.hash !== hash) return;
    this.#letGo("session");
    this.#pass();
  }

  /** The debugger no longer looks at the call: the next may be held. */
  done(hash: string): void {
    if (this.#shown !== hash) return;
    this.#letGo("session");
    this.#shown = undefined;
    this.#pass();
  }

  flush(): void {
    this.#isFlushing = true; // a job that ends at once asks for the next one
    try {
      this.#letGo("owner");
      for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift())
        this.#executor.submit(job);
    } finally {
      this.#isFlushing = false;
    }
  }

  #pass(): void {
    while (this.#held === undefined && !this.#isFlushing) {
      const [next] = this.#jobs;
      if (next === undefined) return;
      if (this.#shown === undefined && runsFunction(next)) {
        const { state } = this.#executor;
        // It is run on the present state, so what is under way has to end first.
        if (state === "busy") return;
        if (state === "at rest") return this.#hold(next);
      }
      this.#jobs.shift();
      this.#executor.submit(next);
    }
  }

  #hold(job: OperationJob): void {
    const { holdMs, onHeld } = this.#options;
    const timer = setTimeout(() => {
      this.#letGo("time");
      this.#pass();
    }, holdMs);
    this.#held = { job, until: performance.now() + holdMs, timer };
    this.#shown = job.hash;
    onHeld(job.hash);
  }

  #letGo(by: ReleasedBy): void {
    if (this.#held === undefined) return;
    const { job, timer } = this.#held;
    clearTimeout(timer);
    this.#held = undefined;
    this.#jobs.shift();
    this.#executor.submit(job);
    this.#options.onReleased(job.hash, by);
  }
}

/** Only these can stop at a line. Deposits with a callback run as ever: they cannot be refused. */
const runsFunction = (job: Job): job is OperationJob =>
  job.kind === "operation" && job.refusal === null && job.content._type === "RunFunction";
