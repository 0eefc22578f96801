// Remembers senders and functions from executed operations: which were slow recently, and which were seen before and
// quick. Bounded: the least recently seen are forgotten first.
import { RecentMap } from "../../tezos/recent-map.ts";
import type { Job } from "./jobs.ts";
import { authorityOf } from "./uri-authority.ts";

/** Senders and functions count as slow for this many times the duration of their operation, up to the limit. */
const MEMORY_FACTOR = 20;
const MAX_MEMORY_MS = 30_000;
/** Limit of remembered senders and functions, per map. */
const MAX_REMEMBERED = 10_000;

/** Expected duration of a job: short, unknown, or long. */
export type Pace = "quick" | "new" | "slow";

/** The parties charged for the time of a job: its sender and the called function, whoever calls it. */
export interface Parties {
  readonly sender: string | undefined;
  readonly target: string | undefined;
}

export class JobHistory {
  readonly #now: () => number;
  /** When each slow sender or function is forgiven. */
  readonly #slowUntil = new Map<string, number>();
  /** Senders and functions seen before, with the number of their first time. */
  readonly #known = new RecentMap<number>(MAX_REMEMBERED);
  /** Senders with a function on which they were not slow. */
  readonly #quickOn = new RecentMap<true>(MAX_REMEMBERED);
  #firstTimes = 0;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records that a job has its outcome. When it was slow, `tookLong` is called afterwards. */
  ended(job: Job): void {
    const { sender, target } = partiesOf(job);
    if (sender !== undefined) this.#remember(sender);
    if (target !== undefined) this.#remember(target);
    if (sender === undefined || target === undefined) return;
    const both = `${sender} ${target}`;
    if (this.#quickOn.get(both) === undefined) this.#quickOn.set(both, true);
  }

  #remember(who: string): void {
    if (this.#known.get(who) === undefined) this.#known.set(who, ++this.#firstTimes);
  }

  tookLong(job: Job, ms: number): void {
    const until = this.#now() + Math.min(MEMORY_FACTOR * ms, MAX_MEMORY_MS);
    const { sender, target } = partiesOf(job);
    for (const who of [sender, target]) if (who !== undefined) this.#markSlow(who, until);
    this.#quickOn.delete(`${sender} ${target}`);
  }

  #markSlow(who: string, until: number): void {
    this.#slowUntil.delete(who);
    this.#slowUntil.set(who, until);
    if (this.#slowUntil.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#slowUntil.keys()) return void this.#slowUntil.delete(oldest);
  }

  /** Whether any party is slow. */
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
      // Other senders have made it slow, so this one need not wait.
      return this.#quickOn.get(`${sender} ${target}`) ? "quick" : "slow";
    }
    const isKnown = [sender, target].some((who) => who !== undefined && this.#known.get(who) !== undefined);
    return isKnown ? "quick" : "new";
  }

  /** Ascending in the order in which senders or functions were first seen. */
  firstTime(who: string | undefined): number {
    return (who === undefined ? undefined : this.#known.get(who)) ?? Infinity;
  }
}

/** A false signature identifies no sender, and deposits of tez delay no other job. */
export function partiesOf(job: Job): Parties {
  if (job.kind === "deposit") {
    const proxy = job.deposit.kind === "tez" ? null : job.deposit.proxy;
    return { sender: undefined, target: proxy ?? undefined };
  }
  if (job.refusal !== null) return { sender: undefined, target: undefined };
  const target = job.content._type === "RunFunction" ? authorityOf(job.content.uri) : null;
  return { sender: job.sender, target: target ?? undefined };
}
