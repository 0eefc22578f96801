// PerformanceObserver over user timing. Observers are called as jobs, after the code that made the entries.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { reportError } from "./events.ts";
import { entriesOfType, onEntry, type PerformanceEntry, sorted } from "./performance.ts";
import { defineInterface, dictionary, domString, required } from "./webidl.ts";

const TYPES: readonly string[] = Object.freeze(["mark", "measure"]);

let makeList: (entries: PerformanceEntry[]) => PerformanceObserverEntryList;
let allowed = false;

export class PerformanceObserverEntryList {
  #entries: PerformanceEntry[] = [];

  static {
    makeList = (entries) => {
      allowed = true;
      try {
        const list = new PerformanceObserverEntryList();
        list.#entries = sorted(entries);
        return list;
      } finally {
        allowed = false;
      }
    };
  }

  constructor() {
    if (!allowed) throw new TypeError("Illegal constructor");
  }
  getEntries(): PerformanceEntry[] {
    return [...this.#entries];
  }
  getEntriesByType(type: unknown): PerformanceEntry[] {
    required(arguments, 1, "PerformanceObserverEntryList.getEntriesByType");
    const wanted = domString(type);
    return this.#entries.filter((entry) => entry.entryType === wanted);
  }
  getEntriesByName(name: unknown, type: unknown = undefined): PerformanceEntry[] {
    required(arguments, 1, "PerformanceObserverEntryList.getEntriesByName");
    const wanted = domString(name);
    const kind = type === undefined ? undefined : domString(type);
    return this.#entries.filter(
      (entry) => entry.name === wanted && (kind === undefined || entry.entryType === kind),
    );
  }
}
defineInterface(PerformanceObserverEntryList);

type Callback = (
  this: PerformanceObserver,
  list: PerformanceObserverEntryList,
  observer: PerformanceObserver,
  options: { droppedEntriesCount?: number },
) => unknown;

const observers = new Set<PerformanceObserver>();
let deliver: (observer: PerformanceObserver) => void;
let offer: (observer: PerformanceObserver, entry: PerformanceEntry) => void;
let queued = false;

function queueDelivery(): void {
  if (queued) return;
  queued = true;
  queueMicrotask(() => {
    queued = false;
    for (const observer of [...observers]) deliver(observer);
  });
}

export class PerformanceObserver {
  #callback: Callback;
  #entries: PerformanceEntry[] = [];
  #types = new Set<string>();
  /** An observer gets its types in one way only: a list at once, or one by one. */
  #way: "entryTypes" | "type" | undefined;
  #first = true;

  static {
    deliver = (observer) => {
      const entries = observer.takeRecords();
      if (entries.length === 0) return;
      const options = observer.#first ? { droppedEntriesCount: 0 } : {};
      observer.#first = false;
      try {
        observer.#callback.call(observer, makeList(entries), observer, options);
      } catch (error) {
        reportError(error);
      }
    };
    offer = (observer, entry) => {
      if (!observer.#types.has(entry.entryType)) return;
      observer.#entries.push(entry);
      queueDelivery();
    };
  }

  constructor(callback: unknown) {
    required(arguments, 1, "PerformanceObserver constructor");
    if (typeof callback !== "function") throw new TypeError("The callback of an observer is not a function");
    this.#callback = callback as Callback;
  }

  static get supportedEntryTypes(): readonly string[] {
    return TYPES;
  }

  observe(options: unknown = undefined): void {
    const { entryTypes, type, buffered } = dictionary(options, "Observer options");
    if (entryTypes === undefined && type === undefined)
      throw new TypeError("An observer needs entryTypes or type");
    if (entryTypes !== undefined && (type !== undefined || buffered !== undefined))
      throw new TypeError("entryTypes cannot be given beside other options");
    const way = entryTypes === undefined ? "type" : "entryTypes";
    this.#way ??= way;
    if (this.#way !== way)
      throw new DOMException("An observer is given entryTypes or type, not both", "InvalidModificationError");
    if (way === "entryTypes" && typeof entryTypes !== "object")
      throw new TypeError("entryTypes is not a sequence");
    const wanted = way === "type" ? [domString(type)] : [...(entryTypes as Iterable<unknown>)];
    const known = wanted.map(domString).filter((name) => TYPES.includes(name));
    if (known.length === 0) return;
    if (way === "entryTypes") this.#types.clear();
    for (const name of known) this.#types.add(name);
    observers.add(this);
    if (way === "type" && buffered) for (const entry of entriesOfType(known[0] as string)) offer(this, entry);
  }

  disconnect(): void {
    observers.delete(this);
    this.#entries = [];
    this.#types.clear();
    this.#way = undefined;
  }

  takeRecords(): PerformanceEntry[] {
    return this.#entries.splice(0);
  }
}
defineInterface(PerformanceObserver);

onEntry((entry) => {
  for (const observer of observers) offer(observer, entry);
});
