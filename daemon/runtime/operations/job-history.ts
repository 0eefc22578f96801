// What is known of senders and functions from the operations that were executed: who took long lately, and who has
// come before and did not. Bounded: those that were not seen for the longest time are forgotten first.
import type { Job } from "./jobs.ts";
import { authorityOf } from "./operation-record.ts";
import { RecentMap } from "./recent-map.ts";

/** A sender and a function are slow for this many times as long as their operation took, up to the limit. */
const MEMORY_FACTOR = 20;
const MAX_MEMORY_MS = 30_000;
/** Senders and functions that are remembered, of each kind of memory. */
const MAX_REMEMBERED = 10_000;

/** How long a job may take, by what is known: not long, unknown, or long. */
export type Pace = "quick" | "new" | "slow";

/** Whom the time of a job is counted for: its sender and the function that it calls, whoever calls it. */
export interface Parties {
  readonly sender: string | undefined;
  readonly target: string | undefined;
}

export class JobHistory {
  readonly #now: () => number;
  /** When each slow sender or function is forgiven. */
  readonly #slowUntil = new Map<string, number>();
  /** Senders and functions that have come before, with the number of their first time. */
  readonly #known = new RecentMap<number>(MAX_REMEMBERED);
  /** Senders with a function on which they were not slow. */
  readonly #quickOn = new RecentMap<true>(MAX_REMEMBERED);
  #firstTimes = 0;

  /** @param now milliseconds of a clock that only goes on */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A job has its outcome. When it took long, `tookLong` is called as well, afterwards. */
  ended(job: Job): void {
    const { sender, target } = partiesOf(job);
    if (sender !== undefined) this.#isKnown(sender);
    if (target !== undefined) this.#isKnown(target);
    if (sender === undefined || target === undefined) return;
    const both = `${sender} ${target}`;
    if (this.#quickOn.get(both) === undefined) this.#quickOn.set(both, true);
  }

  #isKnown(who: string): void {
    if (this.#known.get(who) === undefined) this.#known.set(who, ++this.#firstTimes);
  }

  tookLong(job: Job, ms: number): void {
    const until = this.#now() + Math.min(MEMORY_FACTOR * ms, MAX_MEMORY_MS);
    const { sender, target } = partiesOf(job);
    for (const who of [sender, target]) if (who !== undefined) this.#isSlow(who, until);
    this.#quickOn.delete(`${sender} ${target}`);
  }

  #isSlow(who: string, until: number): void {
    this.#slowUntil.delete(who);
    this.#slowUntil.set(who, until);
    if (this.#slowUntil.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#slowUntil.keys()) return void this.#slowUntil.delete(oldest);
  }

  /** Whether somebody is slow. */
  get hasSlow(): boolean {
    if (this.#slowUntil.size === 0) return false;
    const now = this.#now();
    for (const [who, until] of this.#slowUntil) if (until <= now) this.#slowUntil.delete(who);
    return this.#slowUntil.size > 0;
  }

  paceOf(job: Job): Pace {
    const { sender, target } = partiesOf(job);
    if (sender === undefined && target === undefined) return "quick";
    if (sender !== undefined && this.#slowUntil.has(sender)) return "slow";
    if (target !== undefined && this.#slowUntil.has(target)) {
      // Others have made it slow, which is nothing that this sender has to wait for.
      return this.#quickOn.get(`${sender} ${target}`) ? "quick" : "slow";
    }
    const isKnown = [sender, target].some((who) => who !== undefined && this.#known.get(who) !== undefined);
    return isKnown ? "quick" : "new";
  }

  /** The smaller, the earlier a sender or function came for the first time. */
  firstTime(who: string | undefined): number {
    return (who === undefined ? undefined : this.#known.get(who)) ?? Infinity;
  }
}

/** A false signature is nobody's, and who sends tez to layer 2 keeps nobody waiting. */
export function partiesOf(job: Job): Parties {
  if (job.kind === "deposit") {
    const proxy = job.deposit.kind === "tez" ? null : job.deposit.proxy;
    return { sender: undefined, target: proxy ?? undefined };
  }
  if (job.refusal !== null) return { sender: undefined, target: undefined };
  const target = job.content._type === "RunFunction" ? authorityOf(job.content.uri) : null;
  return { sender: job.sender, target: target ?? undefined };
}
