// The order in which operations are executed: that of their arrival, but who has kept the others waiting comes in turn
// with them, one operation at a time. Operations of one sender never change their order.
import type { Job } from "./jobs.ts";
import { authorityOf } from "./operation-record.ts";

/** A sender and a function are slow for this many times as long as their operation took, up to the limit. */
const MEMORY_FACTOR = 20;
const MAX_MEMORY_MS = 30_000;
/** Senders and functions that are remembered as slow; the oldest go first. */
const MAX_REMEMBERED = 10_000;

export class FairQueue {
  readonly #now: () => number;
  #jobs: Job[] = [];
  /** When each slow sender or function is forgiven, in order of insertion. */
  readonly #slowUntil = new Map<string, number>();
  /** Number of the turn in which each lane had its last slow job. */
  readonly #lastTurn = new Map<string, number>();
  #turn = 0;
  #isSlowTurn = false;

  /** @param now milliseconds of a clock that only goes on */
  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#jobs.length;
  }

  push(job: Job): void {
    this.#jobs.push(job);
  }

  /** Takes jobs back that were taken and not begun, into their places. */
  putBack(jobs: readonly Job[]): void {
    this.#jobs = [...jobs, ...this.#jobs].sort((a, b) => a.seq - b.seq);
  }

  /** Begins anew with these jobs. */
  replace(jobs: readonly Job[]): void {
    this.#jobs = [...jobs];
  }

  /** Remembers that a job took long: for a while its sender and its function come in turn with the others. */
  tookLong(job: Job, ms: number): void {
    const until = this.#now() + Math.min(MEMORY_FACTOR * ms, MAX_MEMORY_MS);
    for (const who of blamed(job)) {
      this.#slowUntil.delete(who);
      this.#slowUntil.set(who, until);
    }
    for (const [who] of this.#slowUntil) {
      if (this.#slowUntil.size <= MAX_REMEMBERED) break;
      this.#slowUntil.delete(who);
    }
  }

  /** Whether some senders or functions are slow: then few jobs are to be taken at once, so that others come in between. */
  get hasSlow(): boolean {
    if (this.#slowUntil.size === 0) return false;
    const now = this.#now();
    for (const [who, until] of this.#slowUntil) if (until <= now) this.#slowUntil.delete(who);
    if (this.#slowUntil.size === 0) this.#lastTurn.clear();
    return this.#slowUntil.size > 0;
  }

  /** The next jobs: quick ones, or one slow one when it is its turn. */
  take(max: number): Job[] {
    if (!this.hasSlow) return this.#jobs.splice(0, max);
    const quick: Job[] = [];
    const quickLanes = new Set<string>();
    /** Lanes whose later jobs wait for a slow one, and such a job of each when it is the first of its lane. */
    const blocked = new Set<string>();
    const slow = new Map<string, Job>();
    for (const job of this.#jobs) {
      const lane = laneOf(job);
      if (blocked.has(lane)) continue;
      if (this.#isSlow(job)) {
        blocked.add(lane);
        if (!quickLanes.has(lane)) slow.set(lane, job);
        continue;
      }
      quickLanes.add(lane);
      if (quick.push(job) === max) break;
    }
    const isSlowTurn = slow.size > 0 && (this.#isSlowTurn || quick.length === 0);
    this.#isSlowTurn = !isSlowTurn;
    const taken = isSlowTurn ? [this.#longestWaiting(slow)] : quick;
    const gone = new Set(taken);
    this.#jobs = this.#jobs.filter((job) => !gone.has(job));
    return taken;
  }

  #isSlow(job: Job): boolean {
    return blamed(job).some((who) => this.#slowUntil.has(who));
  }

  /** Job of the lane whose last turn is the longest ago. */
  #longestWaiting(slow: ReadonlyMap<string, Job>): Job {
    let [chosen] = slow.keys();
    for (const lane of slow.keys())
      if ((this.#lastTurn.get(lane) ?? 0) < (this.#lastTurn.get(chosen!) ?? 0)) chosen = lane;
    this.#lastTurn.set(chosen!, ++this.#turn);
    return slow.get(chosen!)!;
  }
}

/** Jobs of one lane stay in order: those of a sender, whose nonces count up; deposits of one kind. */
function laneOf(job: Job): string {
  if (job.kind === "operation") return job.sender;
  return job.deposit.kind === "tez" ? "deposits" : `deposits to ${job.deposit.proxy}`;
}

/** Whom the time of a job is counted for: its sender and its function, whoever calls it. */
function blamed(job: Job): string[] {
  if (job.kind === "deposit") return job.deposit.kind === "tez" ? [] : [job.deposit.proxy ?? ""];
  if (job.content._type !== "RunFunction") return [job.sender];
  const target = authorityOf(job.content.uri);
  return target === null ? [job.sender] : [job.sender, target];
}
