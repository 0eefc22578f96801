// performance: a clock that stands still within a call, and user timing.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { EventTarget } from "./events.ts";
import { structuredClone } from "./structured-clone.ts";
import { defineInterface, dictionary, domString, required } from "./webidl.ts";

let allowed = false;
function make<T>(step: () => T): T {
  allowed = true;
  try {
    return step();
  } finally {
    allowed = false;
  }
}

export class PerformanceEntry {
  #fields: { name: string; entryType: string; startTime: number; duration: number };

  constructor(fields: { name: string; entryType: string; startTime: number; duration: number }) {
    if (!allowed) throw new TypeError("Illegal constructor");
    this.#fields = fields;
  }
  get name(): string {
    return this.#fields.name;
  }
  get entryType(): string {
    return this.#fields.entryType;
  }
  get startTime(): number {
    return this.#fields.startTime;
  }
  get duration(): number {
    return this.#fields.duration;
  }
  toJSON(): object {
    const { name, entryType, startTime, duration } = this.#fields;
    return { name, entryType, startTime, duration };
  }
}
defineInterface(PerformanceEntry);

const time = (value: unknown, what: string): number => {
  const number = Number(value);
  if (!Number.isFinite(number) || number < 0) throw new TypeError(`${what} must be a time`);
  return number;
};

export class PerformanceMark extends PerformanceEntry {
  #detail: unknown;

  constructor(name: unknown, options: unknown = undefined) {
    required(arguments, 1, "PerformanceMark constructor");
    const bag = dictionary(options, "Mark options");
    const startTime = bag["startTime"] === undefined ? now() : time(bag["startTime"], "startTime");
    const fields = { name: domString(name), entryType: "mark", startTime, duration: 0 };
    allowed = true;
    super(fields);
    allowed = false;
    this.#detail =
      bag["detail"] === undefined || bag["detail"] === null ? null : structuredClone(bag["detail"]);
  }
  get detail(): unknown {
    return this.#detail;
  }
  override toJSON(): object {
    return { ...super.toJSON(), detail: this.#detail };
  }
}
defineInterface(PerformanceMark);

export class PerformanceMeasure extends PerformanceEntry {
  #detail: unknown;

  constructor(
    fields: { name: string; entryType: string; startTime: number; duration: number },
    detail: unknown,
  ) {
    super(fields);
    this.#detail = detail;
  }
  get detail(): unknown {
    return this.#detail;
  }
  override toJSON(): object {
    return { ...super.toJSON(), detail: this.#detail };
  }
}
defineInterface(PerformanceMeasure);
Object.defineProperty(PerformanceMeasure, "length", { value: 0, configurable: true });

let entries: PerformanceEntry[] = [];
let announce: (entry: PerformanceEntry) => void = () => undefined;
/** Calls `listener` for every new entry of the timeline. */
export const onEntry = (listener: (entry: PerformanceEntry) => void): void => {
  announce = listener;
};
const addEntry = (entry: PerformanceEntry): void => {
  entries.push(entry);
  announce(entry);
};
/** Entries of one type so far, oldest first. */
export const entriesOfType = (type: string): PerformanceEntry[] =>
  entries.filter((entry) => entry.entryType === type);
/** The clock stands still within a call; a program sees it one millisecond after its start. */
const ELAPSED = 1;
const now = (): number => ELAPSED;
const timeOrigin = (): number => Date.now() - ELAPSED;

function timeOf(value: unknown): number {
  if (typeof value === "number") return time(value, "A time");
  const name = domString(value);
  const mark = entries.findLast((entry) => entry.entryType === "mark" && entry.name === name);
  if (mark === undefined) throw new DOMException(`There is no mark ${name}`, "SyntaxError");
  return mark.startTime;
}

/** Sorts the given list by start time, in place. */
export const sorted = (list: PerformanceEntry[]): PerformanceEntry[] =>
  list.sort((a, b) => a.startTime - b.startTime);

export class Performance extends EventTarget {
  constructor() {
    if (!allowed) throw new TypeError("Illegal constructor");
    super();
  }
  get timeOrigin(): number {
    return timeOrigin();
  }
  now(): number {
    if (!(this instanceof Performance)) throw new TypeError("Illegal invocation");
    return now();
  }
  mark(name: unknown, options: unknown = undefined): PerformanceMark {
    required(arguments, 1, "Performance.mark");
    const mark = new PerformanceMark(name, options);
    addEntry(mark);
    return mark;
  }
  measure(
    name: unknown,
    startOrOptions: unknown = undefined,
    endMark: unknown = undefined,
  ): PerformanceMeasure {
    required(arguments, 1, "Performance.measure");
    const text = domString(name);
    const isBag = typeof startOrOptions === "object" && startOrOptions !== null;
    const bag = isBag ? (startOrOptions as Record<string, unknown>) : {};
    if (["start", "end", "duration", "detail"].some((key) => bag[key] !== undefined)) {
      if (endMark !== undefined) throw new TypeError("An end mark cannot be given beside options");
      if (bag["start"] === undefined && bag["end"] === undefined)
        throw new TypeError("Options need start or end");
      if (bag["start"] !== undefined && bag["end"] !== undefined && bag["duration"] !== undefined)
        throw new TypeError("Options have one time too many");
    }
    const duration = bag["duration"] === undefined ? undefined : time(bag["duration"], "duration");
    let end: number;
    if (endMark !== undefined) end = timeOf(endMark);
    else if (bag["end"] !== undefined) end = timeOf(bag["end"]);
    else if (bag["start"] !== undefined && duration !== undefined) end = timeOf(bag["start"]) + duration;
    else end = now();
    let start = 0;
    if (bag["start"] !== undefined) start = timeOf(bag["start"]);
    else if (duration !== undefined && bag["end"] !== undefined) start = end - duration;
    else if (!isBag && startOrOptions !== undefined && startOrOptions !== null)
      start = timeOf(startOrOptions);
    const detail =
      bag["detail"] === undefined || bag["detail"] === null ? null : structuredClone(bag["detail"]);
    const measure = make(
      () =>
        new PerformanceMeasure(
          { name: text, entryType: "measure", startTime: start, duration: end - start },
          detail,
        ),
    );
    addEntry(measure);
    return measure;
  }
  clearMarks(name: unknown = undefined): void {
    clear("mark", name);
  }
  clearMeasures(name: unknown = undefined): void {
    clear("measure", name);
  }
  getEntries(): PerformanceEntry[] {
    return sorted([...entries]);
  }
  getEntriesByType(type: unknown): PerformanceEntry[] {
    required(arguments, 1, "Performance.getEntriesByType");
    const wanted = domString(type);
    return sorted(entriesOfType(wanted));
  }
  getEntriesByName(name: unknown, type: unknown = undefined): PerformanceEntry[] {
    required(arguments, 1, "Performance.getEntriesByName");
    const wanted = domString(name);
    const kind = type === undefined ? undefined : domString(type);
    return sorted(
      entries.filter((entry) => entry.name === wanted && (kind === undefined || entry.entryType === kind)),
    );
  }
  toJSON(): object {
    return { timeOrigin: timeOrigin() };
  }
}
defineInterface(Performance);

function clear(type: string, name: unknown): void {
  const wanted = name === undefined ? undefined : domString(name);
  entries = entries.filter(
    (entry) => entry.entryType !== type || (wanted !== undefined && entry.name !== wanted),
  );
}

export const performance = make(() => new Performance());
