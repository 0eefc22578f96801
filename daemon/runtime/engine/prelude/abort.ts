// AbortController and AbortSignal. Time stands still within a call: a signal with a time limit aborts when the program
// waits for nothing else.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { setAlarm } from "./alarms.ts";
import { defineHandler, Event, EventTarget, fire } from "./events.ts";
import { defineInterface, required, unsignedLongLong } from "./webidl.ts";

let makeSignal: () => AbortSignal;
let abort: (signal: AbortSignal, reason: unknown) => void;
let onAbort: (signal: AbortSignal, step: () => void) => void;
let allowed = false;

export class AbortSignal extends EventTarget {
  #aborted = false;
  #reason: unknown = undefined;
  #steps: (() => void)[] = [];
  #dependents: AbortSignal[] = [];
  #sources: AbortSignal[] = [];
  #dependent = false;

  static {
    makeSignal = () => {
      allowed = true;
      try {
        return new AbortSignal();
      } finally {
        allowed = false;
      }
    };
    abort = (signal, reason) => signal.#abort(reason);
    onAbort = (signal, step) => {
      if (!signal.#aborted) signal.#steps.push(step);
    };
  }

  constructor() {
    if (!allowed) throw new TypeError("Illegal constructor");
    super();
  }

  static abort(reason: unknown = undefined): AbortSignal {
    const signal = makeSignal();
    signal.#aborted = true;
    signal.#reason = reason === undefined ? abortError() : reason;
    return signal;
  }

  static any(signals: unknown): AbortSignal {
    required(arguments, 1, "AbortSignal.any");
    const list = [...(signals as Iterable<unknown>)];
    for (const source of list) {
      if (!(source instanceof AbortSignal)) throw new TypeError("AbortSignal.any needs AbortSignals");
    }
    const signal = makeSignal();
    signal.#dependent = true;
    const aborted = (list as AbortSignal[]).find((source) => source.#aborted);
    if (aborted !== undefined) {
      signal.#aborted = true;
      signal.#reason = aborted.#reason;
      return signal;
    }
    for (const source of list as AbortSignal[]) {
      for (const root of source.#dependent ? source.#sources : [source]) {
        if (signal.#sources.includes(root)) continue;
        signal.#sources.push(root);
        root.#dependents.push(signal);
      }
    }
    return signal;
  }

  static timeout(milliseconds: unknown): AbortSignal {
    required(arguments, 1, "AbortSignal.timeout");
    const signal = makeSignal();
    setAlarm(unsignedLongLong(milliseconds, "AbortSignal.timeout"), () => {
      signal.#abort(new DOMException("The signal timed out", "TimeoutError"));
    });
    return signal;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  #abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#mark(reason === undefined ? abortError() : reason);
    const followers = this.#dependents.filter((dependent) => !dependent.#aborted);
    for (const dependent of followers) dependent.#mark(this.#reason);
    this.#tell();
    for (const dependent of followers) dependent.#tell();
  }

  #mark(reason: unknown): void {
    this.#aborted = true;
    this.#reason = reason;
  }

  #tell(): void {
    for (const step of this.#steps.splice(0)) step();
    fire(this, new Event("abort"));
  }
}
defineInterface(AbortSignal);
defineHandler(AbortSignal.prototype, "abort");

const abortError = (): DOMException => new DOMException("The signal has been aborted", "AbortError");

export class AbortController {
  #signal = makeSignal();

  get signal(): AbortSignal {
    return this.#signal;
  }

  abort(reason: unknown = undefined): void {
    abort(this.#signal, reason);
  }
}
defineInterface(AbortController);

/** Runs `step` when the signal aborts, before its event. */
export const whenAborted = (signal: AbortSignal, step: () => void): void => onAbort(signal, step);
/** A signal that follows another signal, for `Request`. */
export const followingSignal = (signal: AbortSignal | undefined): AbortSignal =>
  signal === undefined ? makeSignal() : AbortSignal.any([signal]);
