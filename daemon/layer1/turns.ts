// Shares layer 1's thread among jobs: one slice per turn of the event loop, so that requests, streams and the other
// servers of the process come in between. Short jobs run at once and never wait for long ones.
import { SandboxError } from "../protocol/errors.ts";
import type { Job } from "./job.ts";
import { outOfTime } from "./michelson/michelson-error.ts";
import { endingAt } from "./michelson/processor-time.ts";

/** Milliseconds that jobs may use per turn of the event loop. */
const SLICE_MS = 8;
/** A job that has used more than this is long: it waits until those before it are done. */
const LONG_MS = 60;
/**
 * Processor time of a job while nobody waits for it. A script within the protocol's gas limit needs less wherever gas
 * reflects the time on this machine; this limit covers the rest.
 */
export const ALONE_MS = 5_000;
/** Processor time of a job while others wait for it to end. */
export const AWAITED_MS = 500;
/**
 * Number of long trials in the queue from which each fails after {@link AWAITED_MS}. While fewer wait, it restarts after
 * them with twice the time.
 */
const MANY_LONG = 4;
/** Limits on queued trials: their number, the bytes of their requests, and how many of them may be long. */
const MAX_WAITING = 300;
const MAX_WAITING_BYTES = 67_108_864;
const MAX_LONG = 64;
/** Trials that keep their progress while they wait; the others restart when it is their turn. */
const MAX_LIVE = 2;

/** Slices for operations per slice for trials, while both wait: an operation waits for all those before it. */
const OPERATION_SLICES = 3;

/**
 * Turns between two pieces of work that cannot rest. Servers take their new connections in these, and hundreds of them
 * must not wait for as many such pieces.
 */
const MIN_TURNS_BETWEEN = 6;

/** Operations change the chain, one at a time. Trials change nothing. */
export type Lane = "chain" | "trial";

/** The client that waits for the answer to a trial. */
export interface Asker {
  /** Length of the request. */
  readonly bytes: number;
  /** Whether it has stopped waiting. */
  readonly isGone: () => boolean;
}

export const NOBODY: Asker = { bytes: 0, isGone: () => false };

export interface Work {
  readonly lane: Lane;
  /** Bytes that the job holds while it waits. */
  readonly bytes: number;
  /** Processor time after which the job is abandoned with NeedsLonger. */
  readonly abandonAfterMs?: number;
  /** Whether something waits for this operation to end: then {@link AWAITED_MS} applies. Turns knows this for trials. */
  readonly isAwaited?: () => boolean;
  /** Whether an operation whose awaited time is over is abandoned with NeedsLonger, to be retried; otherwise it fails. */
  readonly mayRetry?: () => boolean;
  /** Whether nobody waits for the answer any more: then the job is dropped. */
  readonly isGone?: () => boolean;
}

/** A job was abandoned because it needs longer. */
export class NeedsLonger extends Error {
  constructor() {
    super("needs longer");
    this.name = "NeedsLonger";
  }
}

interface Waiting {
  readonly make: () => Job<unknown>;
  /** Undefined before the start, and after its progress was discarded. */
  job: Job<unknown> | undefined;
  readonly work: Work;
  used: Used;
  /** Milliseconds that it may use while others wait for it. */
  awaitedMs: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Milliseconds that a job has used: in all, and while others waited for it. */
interface Used {
  readonly ms: number;
  readonly awaitedMs: number;
}

const NOTHING: Used = { ms: 0, awaitedMs: 0 };

type Outcome<T> = { readonly done: true; readonly value: T } | { readonly done: false; readonly used: Used };

export interface TurnsOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (run: () => void) => void;
}

export class Turns {
  readonly #options: TurnsOptions;
  readonly #operations: Waiting[] = [];
  /** Trials not started yet, started ones of unknown length, and long ones. */
  readonly #fresh: Waiting[] = [];
  readonly #started: Waiting[] = [];
  readonly #long: Waiting[] = [];
  #waitingBytes = 0;
  #usedThisTurn = 0;
  #isScheduled = false;
  /** What cannot rest, each in a turn of its own. */
  readonly #alone: (() => void)[] = [];
  /** Milliseconds that jobs may take before the next of those has its turn. */
  #owed = 0;
  /** Turns since the last of those. */
  #turnsBetween = MIN_TURNS_BETWEEN;
  /** Slices for operations since the last one for a trial. */
  #operationSlices = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /**
   * Runs a job: synchronously if its first slice suffices and nothing must go before it, else in later turns.
   * @throws SandboxError LAYER1_BUSY when the queue is full
   */
  run<T>(make: () => Job<T>, work: Work): T | Promise<T> {
    if (
      this.#usedThisTurn < SLICE_MS &&
      (work.lane === "chain" ? this.#operations : this.#fresh).length === 0
    ) {
      const job = make();
      const outcome = this.#slice(job, work, NOTHING);
      if (outcome.done) return outcome.value;
      return this.#wait(make, job, work, outcome.used);
    }
    return this.#wait(make, undefined, work, NOTHING);
  }

  /** Runs a job in one go; abandons it and returns undefined when that takes too long. */
  attempt<T>(job: Job<T>, ms: number): { readonly value: T } | undefined {
    const until = this.#options.now() + ms;
    for (;;) {
      const step = job.next();
      if (step.done) return { value: step.value };
      if (this.#options.now() >= until) {
        job.return(undefined as never);
        return undefined;
      }
    }
  }

  /** Does something that cannot rest, in turn with jobs: these have as much time as it took before the next has its turn. */
  alone<T>(action: () => T): Promise<T> {
    const done = new Promise<() => T>((resolve) => {
      this.#alone.push(() => resolve(outcomeOf(action)));
      this.#schedule();
    });
    return done.then((outcome) => outcome());
  }

  #wait<T>(make: () => Job<T>, job: Job<T> | undefined, work: Work, used: Used): Promise<T> {
    const count = this.#fresh.length + this.#started.length;
    if (
      work.lane === "trial" &&
      (count >= MAX_WAITING || this.#waitingBytes + work.bytes > MAX_WAITING_BYTES)
    )
      throw busy(count);
    this.#waitingBytes += work.bytes;
    return new Promise<T>((resolve, reject) => {
      const awaitedMs = AWAITED_MS;
      const waiting = {
        make,
        job,
        work,
        used,
        awaitedMs,
        resolve: resolve as (value: unknown) => void,
        reject,
      };
      if (work.lane === "chain") this.#operations.push(waiting);
      else if (job === undefined) this.#fresh.push(waiting);
      else this.#requeue(waiting, false);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.nextTurn(() => {
      this.#isScheduled = false;
      this.#usedThisTurn = 0;
      this.#turn();
    });
  }

  /** Jobs one after the other until the slice is used up, or what cannot rest. */
  #turn(): void {
    const isDue = this.#turnsBetween >= MIN_TURNS_BETWEEN && (this.#owed <= 0 || !this.#nextQueue());
    const alone = isDue ? this.#alone.shift() : undefined;
    this.#turnsBetween++;
    if (alone) {
      const start = this.#options.now();
      alone();
      this.#owed = this.#options.now() - start;
      this.#turnsBetween = 0;
      this.#usedThisTurn += this.#owed;
    }
    while (this.#usedThisTurn < SLICE_MS) {
      const queue = this.#nextQueue();
      const waiting = queue?.shift();
      if (!queue || !waiting) break;
      this.#resume(waiting, queue);
    }
    if (this.#alone.length > 0 || this.#nextQueue()) this.#schedule();
  }

  #nextQueue(): Waiting[] | undefined {
    const trials = [this.#fresh, this.#started].find(({ length }) => length > 0) ?? this.#long;
    const isTrialsTurn =
      this.#operations.length === 0 || (this.#operationSlices >= OPERATION_SLICES && trials.length > 0);
    const queue = isTrialsTurn ? trials : this.#operations;
    return queue.length > 0 ? queue : undefined;
  }

  #resume(waiting: Waiting, queue: readonly Waiting[]): void {
    const { work } = waiting;
    const wasLong = queue === this.#long;
    if (work.isGone?.()) {
      this.#drop(waiting);
      return;
    }
    this.#operationSlices = work.lane === "chain" ? this.#operationSlices + 1 : 0;
    try {
      waiting.job ??= waiting.make();
      const outcome = this.#slice(waiting.job, work, waiting.used, waiting.awaitedMs);
      if (outcome.done) {
        this.#waitingBytes -= work.bytes;
        waiting.resolve(outcome.value);
        return;
      }
      waiting.used = outcome.used;
    } catch (error) {
      if (error instanceof NeedsLonger && work.lane === "trial") {
        this.#restart(waiting);
        waiting.awaitedMs *= 2;
        this.#long.push(waiting);
        return;
      }
      this.#waitingBytes -= work.bytes;
      waiting.reject(error);
      return;
    }
    if (work.lane === "chain") this.#operations.unshift(waiting);
    else this.#requeue(waiting, wasLong);
  }

  /** Queues a started trial for its next slice. */
  #requeue(waiting: Waiting, wasLong: boolean): void {
    // A started long trial runs to its end: partial work of many takes more memory than their requests.
    if (wasLong) {
      this.#long.unshift(waiting);
      return;
    }
    const live = this.#started.length + this.#long.filter(({ job }) => job !== undefined).length;
    if (live < MAX_LIVE && waiting.used.ms < LONG_MS) {
      this.#started.push(waiting);
      return;
    }
    if (this.#long.length >= MAX_LONG) {
      this.#drop(waiting);
      return;
    }
    if (live >= MAX_LIVE) this.#restart(waiting);
    this.#long.push(waiting);
  }

  #restart(waiting: Waiting): void {
    waiting.job?.return(undefined);
    waiting.job = undefined;
    waiting.used = NOTHING;
  }

  #drop(waiting: Waiting): void {
    waiting.job?.return(undefined);
    this.#waitingBytes -= waiting.work.bytes;
    waiting.reject(busy(this.#long.length));
  }

  /** Runs one slice of a job. @throws NeedsLonger, and what the job throws */
  #slice<T>(job: Job<T>, work: Work, before: Used, awaitedMs = AWAITED_MS): Outcome<T> {
    const { now } = this.#options;
    const start = now();
    const isAwaited = work.lane === "chain" ? work.isAwaited?.() === true : this.#long.length > 0;
    const aloneLeft = ALONE_MS - before.ms;
    const timeLeft = Math.min(aloneLeft, isAwaited ? awaitedMs - before.awaitedMs : Infinity);
    const abandonAfter = work.abandonAfterMs === undefined ? Infinity : work.abandonAfterMs - before.ms;
    const mayRetry =
      isAwaited && (work.lane === "chain" ? work.mayRetry?.() === true : this.#long.length < MANY_LONG);
    // A job about to be abandoned must not be interrupted first: it would fail for a reason that is not its own. What
    // spends gas looks at the clock too, so the deadline for that is the one of a failure.
    const deadline = start + (mayRetry ? aloneLeft : timeLeft);
    const run = (): Outcome<T> => {
      for (;;) {
        const step = job.next();
        if (step.done) return { done: true, value: step.value };
        const ms = now() - start;
        if (ms >= abandonAfter) abandon(job);
        if (ms >= timeLeft) {
          if (mayRetry && ms < aloneLeft) abandon(job);
          return { done: true, value: interrupt(job) };
        }
        if (ms >= SLICE_MS)
          return {
            done: false,
            used: { ms: before.ms + ms, awaitedMs: before.awaitedMs + (isAwaited ? ms : 0) },
          };
      }
    };
    try {
      return endingAt(deadline, now, run);
    } finally {
      // Whatever it used counts for this turn, also when it threw; the next turn begins at nought.
      const ms = now() - start;
      this.#usedThisTurn += ms;
      this.#owed -= ms;
      this.#schedule();
    }
  }
}

/** Does something, and gives its value or its error to whoever asks. */
function outcomeOf<T>(action: () => T): () => T {
  try {
    const value = action();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** @throws NeedsLonger */
function abandon(job: Job<unknown>): never {
  job.return(undefined);
  throw new NeedsLonger();
}

/** Interrupts a job that has used up its time: it fails at the current step and may still report that its own way. */
function interrupt<T>(job: Job<T>): T {
  for (;;) {
    const step = job.throw(outOfTime());
    if (step.done) return step.value;
  }
}

const busy = (waiting: number): SandboxError => new SandboxError("LAYER1_BUSY", { waiting });
