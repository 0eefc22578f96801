// The logs of smart functions: kept in memory within limits, and sent to the listeners of a function.
import { Deque } from "../../parts/deque.ts";
import type { LogRecord } from "../call/live-call.ts";
import { textBytes } from "./text-bytes.ts";

export interface LogBounds {
  readonly records: number;
  /** Bytes of all texts together. */
  readonly bytes: number;
}

/** @param json of the record, the same text for all listeners */
type Listener = (json: string) => void;

export class LogStore {
  readonly #bounds: LogBounds;
  readonly #records = new Deque<{ readonly record: LogRecord; readonly number: number }>();
  #bytes = 0;
  /** Number of records ever added. */
  #count = 0;
  readonly #byAddress = new Map<string, Deque<LogRecord>>();
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(bounds: LogBounds) {
    this.#bounds = bounds;
  }

  add(record: LogRecord): void {
    this.#records.push({ record, number: ++this.#count });
    this.#bytes += textBytes(record.text);
    let own = this.#byAddress.get(record.address);
    if (own === undefined) this.#byAddress.set(record.address, (own = new Deque()));
    own.push(record);
    while (
      this.#records.size > this.#bounds.records ||
      (this.#bytes > this.#bounds.bytes && this.#records.size > 1)
    ) {
      this.#forgetOldest();
    }
    const listeners = this.#listeners.get(record.address);
    if (listeners === undefined) return;
    const json = JSON.stringify(record);
    for (const listener of listeners) listener(json);
  }

  #forgetOldest(): void {
    const { record: oldest } = this.#records.shift()!;
    this.#bytes -= textBytes(oldest.text);
    const own = this.#byAddress.get(oldest.address)!;
    own.shift(); // the oldest record is also the oldest of its function
    if (own.size === 0) this.#byAddress.delete(oldest.address);
  }

  /** The current position, for `forgetSince`. */
  get mark(): number {
    return this.#count;
  }

  /** Forgets records added after a mark. */
  forgetSince(mark: number): void {
    while ((this.#records.newest?.number ?? 0) > mark) {
      const { record } = this.#records.pop()!;
      this.#bytes -= textBytes(record.text);
      const own = this.#byAddress.get(record.address)!;
      own.pop(); // the newest record is also the newest of its function
      if (own.size === 0) this.#byAddress.delete(record.address);
    }
  }

  /** Records of a function, newest first. */
  newest(address: string, limit: number, offset: number): LogRecord[] {
    return this.#byAddress.get(address)?.slice(offset, limit) ?? [];
  }

  /** Records of a function that one operation wrote, in order. */
  ofRequest(address: string, requestId: string): LogRecord[] {
    const own = this.#byAddress.get(address)?.newestFirst() ?? [];
    return [...own].filter((record) => record.requestId === requestId).reverse();
  }

  /** Calls the listener for each new record of a function; returns a function that unsubscribes. */
  listen(address: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(address) ?? new Set();
    this.#listeners.set(address, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(address) === listeners) this.#listeners.delete(address);
    };
  }
}
