// The order in which operations are executed: that of their arrival, until one takes long. From then on three kinds take
// turns: those of senders and functions that are known to be quick, those of newcomers, and slow ones, one at a time.
// Operations of one sender never change their order.
import { JobHistory, partiesOf } from "./job-history.ts";
import type { Job } from "./jobs.ts";
import { RecentMap } from "./recent-map.ts";

/** Jobs of newcomers in one turn. The first one that takes long ends the turn. */
const NEW_IN_TURN = 8;
/** Operations with a false signature in one turn: nothing is executed for them. */
const FREE_IN_TURN = 256;
/** Turns that are remembered. */
const MAX_TURNS = 10_000;
/** Of those that wait, as many as came to this sandbox first have every second turn among themselves. */
const FIRST_COMERS = 4;

interface Queued {
  readonly job: Job;
  /** Number of the slow turn at which it came. */
  readonly turn: number;
}

/** What may be taken now: the first jobs of all lanes, by their kind. */
interface Candidates {
  readonly quick: Job[];
  readonly fresh: Job[];
  readonly slow: Queued[];
}

export class FairQueue {
  readonly #history: JobHistory;
  #queued: Queued[] = [];
  /** Number of the turn in which each function, and each sender with a function, had its last slow job. */
  readonly #lastTurn = new RecentMap<number>(MAX_TURNS);
  #turn = 0;
  /** Kind of the turn before. */
  #last: keyof Candidates = "slow";
  #isNewestFirst = false;

  /** @param now milliseconds of a clock that only goes on */
  constructor(now: () => number) {
    this.#history = new JobHistory(now);
  }

  get size(): number {
    return this.#queued.length;
  }

  push(job: Job): void {
    this.#queued.push({ job, turn: this.#turn });
  }

  /** Takes jobs back that were taken and not begun, into their places. */
  putBack(jobs: readonly Job[]): void {
    const back = jobs.map((job) => ({ job, turn: 0 }));
    this.#queued = [...back, ...this.#queued].sort((a, b) => a.job.seq - b.job.seq);
  }

  /** Begins anew with these jobs. */
  replace(jobs: readonly Job[]): void {
    this.#queued = jobs.map((job) => ({ job, turn: 0 }));
  }

  /** A job has its outcome. */
  ended(job: Job): void {
    this.#history.ended(job);
  }

  /** Says after `ended` that a job took long: for a while its sender and its function come in turn with the others. */
  tookLong(job: Job, ms: number): void {
    this.#history.tookLong(job, ms);
  }

  /** Whether somebody is slow: then few jobs are to be taken at once, so that others come in between. */
  get hasSlow(): boolean {
    return this.#history.hasSlow;
  }

  /** The next jobs: quick ones, some of newcomers, or one slow one, whichever kind's turn it is. */
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

  /** Beside the candidates for a turn, those that take no time: they are taken in every turn. */
  #candidates(max: number): Candidates & { readonly free: readonly Job[] } {
    const free: Job[] = [];
    const quick: Job[] = [];
    const fresh: Job[] = [];
    const slow: Queued[] = [];
    /** Kind of the first job of each lane: later ones of another kind wait for it. */
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
    // Who comes while thousands of newcomers wait does not wait for all of them.
    if (this.#isNewestFirst) fresh.reverse();
    fresh.splice(Math.min(NEW_IN_TURN, max));
    this.#isNewestFirst = !this.#isNewestFirst;
    return { free, quick, fresh, slow };
  }

  /**
   * The function whose turn it is, and of those who call it the sender whose turn it is: whoever waits longest, every
   * second time of a few that came to this sandbox first. So no number of new keys or new functions puts itself before
   * those that were there.
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
    // In another rhythm, so that all four cases come.
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

/** Which kinds come after one. */
const TURNS: Readonly<Record<keyof Candidates, readonly (keyof Candidates)[]>> = {
  quick: ["fresh", "slow", "quick"],
  fresh: ["slow", "quick", "fresh"],
  slow: ["quick", "fresh", "slow"],
};

/** Jobs of one lane stay in order: those of a sender, whose nonces count up; deposits of one kind. */
function laneOf(job: Job): string {
  if (job.kind === "operation") return job.sender;
  return job.deposit.kind === "tez" ? "deposits" : `deposits to ${job.deposit.proxy}`;
}

function groupOf(job: Job): string {
  const { sender, target } = partiesOf(job);
  return target ?? sender ?? "";
}
