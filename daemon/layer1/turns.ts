// Shares the thread of layer 1 among jobs: one slice in each turn of the event loop, so that requests, streams and the
// other servers of the process come in between. What is short is done at once, without waiting for what is long.
import { SandboxError } from "../protocol/errors.ts";
import type { Job } from "./job.ts";
import { outOfTime } from "./michelson/michelson-error.ts";
import { endingAt } from "./michelson/processor-time.ts";

/** Milliseconds that jobs may take of one turn of the event loop. */
const SLICE_MS = 8;
/** A job that needed more than this is long: it then waits until those before it are done. */
const LONG_MS = 60;
/**
 * Processor time of a job that nobody waits for. A script within the protocol's gas needs less, as far as gas describes
 * its time on this machine; this ends what it does not describe.
 */
export const ALONE_MS = 5_000;
/** Processor time of a job while others wait for it to end. */
export const AWAITED_MS = 500;
/**
 * Long trials that wait from which on each of them fails after {@link AWAITED_MS}. Where fewer wait, it begins anew after
 * them, with twice the time.
 */
const MANY_LONG = 4;
/** Trials that may wait, and bytes of their requests; and how many of them may be long. */
const MAX_WAITING = 300;
const MAX_WAITING_BYTES = 67_108_864;
const MAX_LONG = 64;
/** Trials that keep what they have begun while they wait; the others begin anew when it is their turn. */
const MAX_LIVE = 2;

/** Slices for operations to one for trials, while both wait: who sends an operation waits for all of those before it. */
const OPERATION_SLICES = 3;

/** Operations change the chain, one after the other. Trials change nothing. */
export type Lane = "chain" | "trial";

/** Whoever waits for the answer to a trial. */
export interface Asker {
  /** Length of the request. */
  readonly bytes: number;
  /** Whether nobody waits any more. */
  readonly isGone: () => boolean;
}

export const NOBODY: Asker = { bytes: 0, isGone: () => false };

export interface Work {
  readonly lane: Lane;
  /** Bytes that the job holds while it waits. */
  readonly bytes: number;
  /** Processor time after which the job is left, as one that needs longer. */
  readonly leaveAfterMs?: number;
  /** Whether somebody waits for an operation to end: then its time is {@link AWAITED_MS}. For trials it is known here. */
  readonly isAwaited?: () => boolean;
  /** Whether an operation is left, as one that needs longer, when its time is over because of others: else it fails. */
  readonly stepsBack?: () => boolean;
  /** Whether nobody waits for the answer any more: the job is dropped then. */
  readonly isGone?: () => boolean;
}

/** A job was left because it needs longer. */
export class NeedsLonger extends Error {
  constructor() {
    super("needs longer");
    this.name = "NeedsLonger";
  }
}

interface Waiting {
  readonly make: () => Job<unknown>;
  /** Undefined before it has begun, and when what it had begun was given up. */
  job: Job<unknown> | undefined;
  readonly work: Work;
  used: Used;
  /** Milliseconds that it may use while somebody waits for it. */
  awaitedMs: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Milliseconds that a job has used, in all and while somebody waited for it to end. */
interface Used {
  readonly ms: number;
  readonly awaitedMs: number;
}

const NOTHING: Used = { ms: 0, awaitedMs: 0 };

type Outcome<T> = { readonly done: true; readonly value: T } | { readonly done: false; readonly used: Used };

export interface TurnsOptions {
  /** Milliseconds of a clock that only goes on. */
  readonly now: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (run: () => void) => void;
}

export class Turns {
  readonly #options: TurnsOptions;
  readonly #operations: Waiting[] = [];
  /** Trials that have not begun, that have not shown yet how long they are, and that have. */
  readonly #fresh: Waiting[] = [];
  readonly #begun: Waiting[] = [];
  readonly #long: Waiting[] = [];
  #waitingBytes = 0;
  #usedThisTurn = 0;
  #isScheduled = false;
  /** What cannot rest, each in a turn of its own. */
  readonly #alone: (() => void)[] = [];
  /** Milliseconds that jobs may take before the next of those has its turn. */
  #owed = 0;
  /** Slices for operations since the last one for a trial. */
  #operationSlices = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /**
   * Does a job. What ends in its first slice is done when this returns, when nobody else has to come first.
   * @throws SandboxError LAYER1_BUSY when too much waits already
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

  /** Does a job in one go, or undefined when that takes too long: nothing of it is done then. */
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
    return new Promise((resolve, reject) => {
      this.#alone.push(() => {
        try {
          resolve(action());
        } catch (error) {
          reject(error);
        }
      });
      this.#schedule();
    });
  }

  #wait<T>(make: () => Job<T>, job: Job<T> | undefined, work: Work, used: Used): Promise<T> {
    const count = this.#fresh.length + this.#begun.length;
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
      else this.#goesOn(waiting, false);
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
    const alone = this.#owed <= 0 || !this.#nextQueue() ? this.#alone.shift() : undefined;
    if (alone) {
      const start = this.#options.now();
      alone();
      this.#owed = this.#options.now() - start;
      this.#usedThisTurn += this.#owed;
    }
    while (this.#usedThisTurn < SLICE_MS) {
      const queue = this.#nextQueue();
      const waiting = queue?.shift();
      if (!queue || !waiting) break;
      this.#goOn(waiting, queue);
    }
    if (this.#alone.length > 0 || this.#nextQueue()) this.#schedule();
  }

  #nextQueue(): Waiting[] | undefined {
    const trials = [this.#fresh, this.#begun].find(({ length }) => length > 0) ?? this.#long;
    const isTrialsTurn =
      this.#operations.length === 0 || (this.#operationSlices >= OPERATION_SLICES && trials.length > 0);
    const queue = isTrialsTurn ? trials : this.#operations;
    return queue.length > 0 ? queue : undefined;
  }

  #goOn(waiting: Waiting, queue: readonly Waiting[]): void {
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
        this.#beginsAnew(waiting);
        waiting.awaitedMs *= 2;
        this.#long.push(waiting);
        return;
      }
      this.#waitingBytes -= work.bytes;
      waiting.reject(error);
      return;
    }
    if (work.lane === "chain") this.#operations.unshift(waiting);
    else this.#goesOn(waiting, wasLong);
  }

  /** Puts a trial that has begun where it waits for its next slice. */
  #goesOn(waiting: Waiting, wasLong: boolean): void {
    // The long one that was begun goes on until it is done: what many have begun takes more room than what waits.
    if (wasLong) {
      this.#long.unshift(waiting);
      return;
    }
    const live = this.#begun.length + this.#long.filter(({ job }) => job !== undefined).length;
    if (live < MAX_LIVE && waiting.used.ms < LONG_MS) {
      this.#begun.push(waiting);
      return;
    }
    if (this.#long.length >= MAX_LONG) {
      this.#drop(waiting);
      return;
    }
    if (live >= MAX_LIVE) this.#beginsAnew(waiting);
    this.#long.push(waiting);
  }

  #beginsAnew(waiting: Waiting): void {
    waiting.job?.return(undefined);
    waiting.job = undefined;
    waiting.used = NOTHING;
  }

  #drop(waiting: Waiting): void {
    waiting.job?.return(undefined);
    this.#waitingBytes -= waiting.work.bytes;
    waiting.reject(busy(this.#long.length));
  }

  /** One slice of a job. @throws NeedsLonger, and what the job throws */
  #slice<T>(job: Job<T>, work: Work, before: Used, awaitedMs = AWAITED_MS): Outcome<T> {
    const { now } = this.#options;
    const start = now();
    const isAwaited = work.lane === "chain" ? work.isAwaited?.() === true : this.#long.length > 0;
    // Also one that is to be left is not ended before: it would fail for a reason that is not its own.
    const timeLeft = Math.min(ALONE_MS - before.ms, isAwaited ? awaitedMs - before.awaitedMs : Infinity);
    const leaveAfter = work.leaveAfterMs === undefined ? Infinity : work.leaveAfterMs - before.ms;
    const stepsBack = (): boolean =>
      work.lane === "chain" ? work.stepsBack?.() === true : this.#long.length < MANY_LONG;
    const run = (): Outcome<T> => {
      for (;;) {
        const step = job.next();
        if (step.done) return { done: true, value: step.value };
        const ms = now() - start;
        if (ms >= leaveAfter) leave(job);
        if (ms >= timeLeft) {
          if (isAwaited && before.ms + ms < ALONE_MS && stepsBack()) leave(job);
          return { done: true, value: end(job) };
        }
        if (ms >= SLICE_MS)
          return {
            done: false,
            used: { ms: before.ms + ms, awaitedMs: before.awaitedMs + (isAwaited ? ms : 0) },
          };
      }
    };
    try {
      return endingAt(start + timeLeft, now, run);
    } finally {
      // Whatever it used counts for this turn, also when it threw; the next turn begins at nought.
      const ms = now() - start;
      this.#usedThisTurn += ms;
      this.#owed -= ms;
      this.#schedule();
    }
  }
}

/** @throws NeedsLonger */
function leave(job: Job<unknown>): never {
  job.return(undefined);
  throw new NeedsLonger();
}

/** Ends a job that has used up its time: it fails where it stands, and may yet say so in its own way. */
function end<T>(job: Job<T>): T {
  for (;;) {
    const step = job.throw(outOfTime());
    if (step.done) return step.value;
  }
}

const busy = (waiting: number): SandboxError => new SandboxError("LAYER1_BUSY", { waiting });
