// Where a motion stops: breakpoints, exceptions and changes of data, looked up in the recording. Conditions and log
// messages need a look into the guest at the event; what was found is kept, so each is evaluated once.
import type { OutputLine } from "../../../protocol/debug-session-api.ts";
import { EVENT, type Recording } from "../recording.ts";
import type { Breakpoint } from "./breakpoints.ts";
import type { StateChange } from "./state-watch.ts";
import type { Throws } from "./throws.ts";

/** What a breakpoint's expressions said at an event. */
export interface Visit {
  readonly isTrue: boolean;
  /** Text of its log message. */
  readonly log: string | undefined;
  /** Why its condition has no value. */
  readonly problem: string | undefined;
}

export type Verdict =
  | { readonly kind: "go" }
  | {
      readonly kind: "stop";
      readonly reason: "breakpoint" | "exception" | "data breakpoint";
      readonly description?: string;
    }
  /** The debugger has to look at these events first, in order. */
  | { readonly kind: "visit"; readonly events: readonly number[] };

const GO: Verdict = { kind: "go" };

/** Characters of log messages that are kept for breakpoints that are still set. */
const MAX_KEPT = 8 * 1024 * 1024;
const NOT_KEPT = "(left out: the messages of this session are too long together)";

export class Stops {
  readonly #recording: Recording;
  readonly #throws: Throws;
  readonly #changes = new Map<number, StateChange[]>();
  #breakpoints: readonly Breakpoint[] = [];
  #byPlace = new Map<number, Breakpoint[]>();
  /** By event; breakpoints with the same expressions share theirs. */
  #visits = new Map<Breakpoint, Map<number, Visit>>();
  #keptCharacters = 0;
  #hits = new Map<Breakpoint, readonly number[]>();
  #told = new Set<Breakpoint>();
  filters: ReadonlySet<string> = new Set();
  dataIds: ReadonlySet<string> = new Set();

  constructor(recording: Recording, throws: Throws, changes: readonly StateChange[]) {
    this.#recording = recording;
    this.#throws = throws;
    for (const change of changes) {
      const others = this.#changes.get(change.event);
      if (others === undefined) this.#changes.set(change.event, [change]);
      else others.push(change);
    }
  }

  /** Replaces the breakpoints of a source. */
  set(source: string, breakpoints: readonly Breakpoint[]): void {
    this.#breakpoints = [...this.#breakpoints.filter((each) => each.source !== source), ...breakpoints];
    this.#keepVisitsOfThese();
    this.#byPlace = new Map();
    this.#hits = new Map();
    for (const breakpoint of this.#breakpoints)
      for (const place of breakpoint.places) {
        const others = this.#byPlace.get(place);
        if (others === undefined) this.#byPlace.set(place, [breakpoint]);
        else others.push(breakpoint);
      }
  }

  /** Drops what the expressions of other breakpoints said. */
  #keepVisitsOfThese(): void {
    const known = new Map(
      [...this.#visits].map(([breakpoint, visits]) => [expressionsOf(breakpoint), visits]),
    );
    const wanted = new Map<string, Map<number, Visit>>();
    this.#visits = new Map();
    for (const breakpoint of this.#breakpoints) {
      const expressions = expressionsOf(breakpoint);
      const visits = wanted.get(expressions) ?? known.get(expressions) ?? new Map<number, Visit>();
      wanted.set(expressions, visits);
      this.#visits.set(breakpoint, visits);
    }
    this.#keptCharacters = 0;
    for (const visits of wanted.values())
      for (const { log = "" } of visits.values()) this.#keptCharacters += log.length;
  }

  /** Breakpoints whose line begins at an event. */
  breakpointsAt(event: number): readonly Breakpoint[] {
    const { events } = this.#recording;
    if (events.kind[event] !== EVENT.line) return [];
    return this.#byPlace.get(events.place[event]!) ?? [];
  }

  /** The last change of a key or a balance. */
  lastChange(dataId: string): number | undefined {
    let last: number | undefined;
    for (const [event, changes] of this.#changes)
      if (changes.some((change) => change.dataId === dataId)) last = Math.max(last ?? 0, event);
    return last;
  }

  /** What a breakpoint's expressions said at an event, for later. */
  keep(breakpoint: Breakpoint, event: number, visit: Visit): void {
    const { log = "" } = visit;
    const hasRoom = this.#keptCharacters + log.length <= MAX_KEPT;
    if (hasRoom) this.#keptCharacters += log.length;
    this.#visits.get(breakpoint)?.set(event, hasRoom ? visit : { ...visit, log: NOT_KEPT });
  }

  #visitOf(breakpoint: Breakpoint, event: number): Visit | undefined {
    if (breakpoint.condition === undefined && breakpoint.logMessage === undefined) return PLAIN;
    return this.#visits.get(breakpoint)?.get(event);
  }

  isVisited(breakpoint: Breakpoint, event: number): boolean {
    return this.#visitOf(breakpoint, event) !== undefined;
  }

  /** @param print set while the motion goes forwards: gets what breakpoints say instead of stopping */
  at(event: number, print?: (line: OutputLine) => void): Verdict {
    const unseen: number[] = [];
    let stops = false;
    for (const breakpoint of this.breakpointsAt(event)) {
      const verdict = this.#verdictOf(breakpoint, event);
      if (typeof verdict !== "boolean") unseen.push(...verdict);
      else if (verdict && breakpoint.logMessage === undefined) stops = true;
    }
    if (unseen.length > 0) return { kind: "visit", events: [...new Set(unseen)].sort((a, b) => a - b) };
    if (print !== undefined) this.#print(event, print);
    if (stops) return { kind: "stop", reason: "breakpoint" };
    const thrown = this.#thrownAt(event);
    if (thrown !== undefined) return { kind: "stop", reason: "exception", description: thrown };
    const change = this.#changes.get(event)?.find(({ dataId }) => this.dataIds.has(dataId));
    if (change === undefined) return GO;
    const { dataId, before = "(nothing)", after = "(nothing)" } = change;
    return { kind: "stop", reason: "data breakpoint", description: `${dataId}: ${before} → ${after}` };
  }

  #thrownAt(event: number): string | undefined {
    if (this.filters.size === 0 || this.#recording.events.kind[event] !== EVENT.thrown) return undefined;
    const isWanted =
      this.filters.has("all") || (this.filters.has("uncaught") && this.#throws.isUncaught(event));
    return isWanted ? (this.#throws.at(event)?.text ?? "") : undefined;
  }

  /** Whether it stops, or the events to look at before that can be said. */
  #verdictOf(breakpoint: Breakpoint, event: number): boolean | readonly number[] {
    const { hits } = breakpoint;
    const own = this.#visitOf(breakpoint, event);
    if (hits === undefined) return own === undefined ? [event] : own.isTrue;
    const until = this.#eventsOf(breakpoint).filter((each) => each <= event);
    const unseen = until.filter((each) => !this.isVisited(breakpoint, each));
    if (unseen.length > 0) return unseen;
    if (own?.isTrue !== true) return false;
    return hits(until.filter((each) => this.#visitOf(breakpoint, each)!.isTrue).length);
  }

  /** All events at which the line of a breakpoint begins. */
  #eventsOf(breakpoint: Breakpoint): readonly number[] {
    const known = this.#hits.get(breakpoint);
    if (known !== undefined) return known;
    const places = new Set(breakpoint.places);
    const { events } = this.#recording;
    const found: number[] = [];
    for (let i = 0; i < events.length; i++)
      if (events.kind[i] === EVENT.line && places.has(events.place[i]!)) found.push(i);
    this.#hits.set(breakpoint, found);
    return found;
  }

  #print(event: number, print: (line: OutputLine) => void): void {
    for (const breakpoint of this.breakpointsAt(event)) {
      const visit = this.#visitOf(breakpoint, event);
      const { source, placed, condition } = breakpoint;
      const at = { source, ...(placed.line === undefined ? {} : { line: placed.line }) };
      if (visit?.problem !== undefined && !this.#told.has(breakpoint)) {
        this.#told.add(breakpoint);
        print({ text: `The condition ${condition} has no value: ${visit.problem}`, ...at });
      }
      if (visit?.log !== undefined && this.#verdictOf(breakpoint, event) === true)
        print({ text: visit.log, ...at });
    }
  }
}

const PLAIN: Visit = { isTrue: true, log: undefined, problem: undefined };

const expressionsOf = ({ condition, logMessage }: Breakpoint): string =>
  JSON.stringify([condition, logMessage]);
