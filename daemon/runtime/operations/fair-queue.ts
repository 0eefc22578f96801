// The order of execution: that of arrival, until a job is slow. From then on three kinds take turns: jobs of senders
// and functions known to be quick, jobs of newcomers, and slow ones, one at a time. Operations of one sender always
// stay in order.
import { RecentMap } from "../../tezos/recent-map.ts";
import { JobHistory, partiesOf } from "./job-history.ts";
import type { Job } from "./jobs.ts";

/** Jobs of newcomers per turn. The first slow one ends the turn. */
const NEW_IN_TURN = 8;
/** Operations with a false signature per turn: they are not executed. */
const FREE_IN_TURN = 256;
/** Number of turns remembered. */
const MAX_TURNS = 10_000;
/** This many of the waiting parties, those seen first in this sandbox, share every second turn. */
const FIRST_COMERS = 4;

interface Queued {
  readonly job: Job;
  /** Number of the slow turn in which it arrived. */
  readonly turn: number;
}

/** The jobs that may run now: the first jobs of all lanes, by kind. */
interface Candidates {
  readonly quick: Job[];
  readonly fresh: Job[];
  readonly slow: Queued[];
}

export class FairQueue {
  readonly #history: JobHistory;
  #queued: Queued[] = [];
  /** Turn of the last slow job of each function, and of each sender with a function. */
  readonly #lastTurn = new RecentMap<number>(MAX_TURNS);
  #turn = 0;
  /** Kind of the previous turn. */
  #last: keyof Candidates = "slow";
  #isNewestFirst = false;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#history = new JobHistory(now);
  }

  get size(): number {
    return this.#queued.length;
  }

  push(job: Job): void {
    this.#queued.push({ job, turn: this.#turn });
  }

  /** Returns jobs that were taken but not started to their places. */
  putBack(jobs: readonly Job[]): void {
    const back = jobs.map((job) => ({ job, turn: 0 }));
    this.#queued = [...back, ...this.#queued].sort((a, b) => a.job.seq - b.job.seq);
  }

  /** Replaces all jobs. */
  replace(jobs: readonly Job[]): void {
    this.#queued = jobs.map((job) => ({ job, turn: 0 }));
  }

  /** Records that a job has its outcome. */
  ended(job: Job): void {
    this.#history.ended(job);
  }

  /**
   * Records, after `ended`, that a job was slow: for a while its sender and its function take turns with the others.
   */
  tookLong(job: Job, ms: number): void {
    this.#history.tookLong(job, ms);
  }

  /** Whether any party is slow: then few jobs should be taken at once, so that others run in between. */
  get hasSlow(): boolean {
    return this.#history.hasSlow;
  }

  /** The next jobs: quick ones, some of newcomers, or one slow one, depending on whose turn it is. */
  take(max: number): Job[] {
    if (!this.hasSlow) return this.#queued.splice(0, max).map(({ job }) => job);
    const { free, ...candidates } = this.#candidates(max);
    const kind = TURNS[this.#last].find((each) => candidates[each].length > 0);
    this.#last = kind ?? this.#last;
    const next =
      kind === "slow" ? [this.#nextSlow(candidates.slow)] : kind === undefined ? [] : candidates[kind];
    const taken = [...free, ...next];
    const gone = new Set(taken);
    this.#queued = this.#queued.filter(({ job }) => !gone.has(job));
    return taken;
  }

  /** The candidates for a turn, and the jobs that cost no time, which are taken in every turn. */
  #candidates(max: number): Candidates & { readonly free: readonly Job[] } {
    const free: Job[] = [];
    const quick: Job[] = [];
    const fresh: Job[] = [];
    const slow: Queued[] = [];
    /** Kind of the first job of each lane: later jobs of another kind wait for it. */
    const lanes = new Map<string, string>();
    for (const queued of this.#queued) {
      const { job } = queued;
      if (job.kind === "operation" && job.refusal !== null) {
        if (free.length < FREE_IN_TURN) free.push(job);
        continue;
      }
      const lane = laneOf(job);
      const pace = this.#history.paceOf(job);
      const before = lanes.get(lane);
      if (before !== undefined && (before !== "quick" || pace !== "quick")) {
        lanes.set(lane, "blocked");
        continue;
      }
      lanes.set(lane, pace);
      if (pace === "slow") slow.push(queued);
      else if (pace === "new") fresh.push(job);
      else if (quick.length < max) quick.push(job);
    }
    // A newcomer must not wait for thousands of newcomers before it.
    if (this.#isNewestFirst) fresh.reverse();
    fresh.splice(Math.min(NEW_IN_TURN, max));
    this.#isNewestFirst = !this.#isNewestFirst;
    return { free, quick, fresh, slow };
  }

  /**
   * Chooses the function whose turn it is, and among its callers the sender: the one that has waited longest, or every
   * second time one of those seen first in this sandbox. So no number of new keys or functions can starve the earlier
   * ones.
   */
  #nextSlow(slow: readonly Queued[]): Job {
    const ofFunction = new Map<string, Queued[]>();
    for (const queued of slow) {
      const group = groupOf(queued.job);
      const queue = ofFunction.get(group);
      if (queue) queue.push(queued);
      else ofFunction.set(group, [queued]);
    }
    const turn = ++this.#turn;
    const isOpen = turn % 2 === 0;
    const groups = [...ofFunction].map(([group, queue]) => ({
      key: group,
      since: Math.min(...queue.map((each) => each.turn)),
      firstTime: this.#history.firstTime(group),
      queue,
    }));
    const { key, queue } = this.#choose(groups, isOpen);
    const callers = queue.map(({ job, turn: since }) => {
      return {
        key: `${key} ${laneOf(job)}`,
        since,
        firstTime: this.#history.firstTime(partiesOf(job).sender),
        job,
      };
    });
    // A different rhythm, so that all four combinations occur.
    const caller = this.#choose(callers, turn % 4 < 2);
    this.#lastTurn.set(key, turn);
    this.#lastTurn.set(caller.key, turn);
    return caller.job;
  }

  #choose<T extends { readonly key: string; readonly since: number; readonly firstTime: number }>(
    all: readonly T[],
    isOpen: boolean,
  ): T {
    const since = (each: T): number => Math.max(each.since, this.#lastTurn.get(each.key) ?? 0);
    const first = isOpen
      ? all
      : [...all].sort((a, b) => a.firstTime - b.firstTime || 0).slice(0, FIRST_COMERS);
    return first.reduce((best, each) => (since(each) < since(best) ? each : best));
  }
}

/** Order of the kinds after each kind. */
const TURNS: Readonly<Record<keyof Candidates, readonly (keyof Candidates)[]>> = {
  quick: ["fresh", "slow", "quick"],
  fresh: ["slow", "quick", "fresh"],
  slow: ["quick", "fresh", "slow"],
};

/** Jobs of one lane stay in order: those of a sender, whose nonces increase, and deposits of one kind. */
function laneOf(job: Job): string {
  if (job.kind === "operation") return job.sender;
  return job.deposit.kind === "tez" ? "deposits" : `deposits to ${job.deposit.proxy}`;
}

function groupOf(job: Job): string {
  const { sender, target } = partiesOf(job);
  return target ?? sender ?? "";
}
