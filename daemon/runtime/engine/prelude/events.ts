// Event, EventTarget and the event classes that guests can construct. There is no tree: a target dispatches to
// itself only.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { defineInterface, dictionary, domString, required } from "./webidl.ts";

interface Listener {
  readonly type: string;
  readonly callback: unknown;
  readonly capture: boolean;
  readonly once: boolean;
  readonly passive: boolean;
  removed: boolean;
}

interface EventState {
  type: string;
  bubbles: boolean;
  cancelable: boolean;
  composed: boolean;
  initialized: boolean;
  canceled: boolean;
  stopped: boolean;
  stoppedNow: boolean;
  dispatching: boolean;
  passive: boolean;
  trusted: boolean;
  target: EventTarget | null;
  current: EventTarget | null;
}

let stateOf: (event: Event) => EventState;
const getIsTrusted = {
  get isTrusted(): boolean {
    return stateOf(this as unknown as Event).trusted;
  },
};
const isTrustedProperty = Object.getOwnPropertyDescriptor(getIsTrusted, "isTrusted") as PropertyDescriptor;

export class Event {
  static readonly NONE = 0;
  static readonly CAPTURING_PHASE = 1;
  static readonly AT_TARGET = 2;
  static readonly BUBBLING_PHASE = 3;
  #state: EventState;

  static {
    stateOf = (event) => event.#state;
  }

  constructor(type: unknown, init: unknown = undefined) {
    required(arguments, 1, "Event constructor");
    const name = domString(type);
    const bag = dictionary(init, "Event init");
    this.#state = {
      type: name,
      bubbles: Boolean(bag["bubbles"]),
      cancelable: Boolean(bag["cancelable"]),
      composed: Boolean(bag["composed"]),
      initialized: true,
      canceled: false,
      stopped: false,
      stoppedNow: false,
      dispatching: false,
      passive: false,
      trusted: false,
      target: null,
      current: null,
    };
    Object.defineProperty(this, "isTrusted", {
      get: isTrustedProperty.get as () => unknown,
      enumerable: true,
      configurable: false,
    });
  }

  get type(): string {
    return this.#state.type;
  }
  get target(): EventTarget | null {
    return this.#state.target;
  }
  get srcElement(): EventTarget | null {
    return this.#state.target;
  }
  get currentTarget(): EventTarget | null {
    return this.#state.current;
  }
  get eventPhase(): number {
    return this.#state.dispatching ? 2 : 0;
  }
  get bubbles(): boolean {
    return this.#state.bubbles;
  }
  get cancelable(): boolean {
    return this.#state.cancelable;
  }
  get composed(): boolean {
    return this.#state.composed;
  }
  get defaultPrevented(): boolean {
    return this.#state.canceled;
  }
  get timeStamp(): number {
    return 1;
  }
  get cancelBubble(): boolean {
    return this.#state.stopped;
  }
  set cancelBubble(value: unknown) {
    if (value) this.#state.stopped = true;
  }
  get returnValue(): boolean {
    return !this.#state.canceled;
  }
  set returnValue(value: unknown) {
    if (!value) this.preventDefault();
  }
  composedPath(): EventTarget[] {
    return this.#state.current === null ? [] : [this.#state.current];
  }
  preventDefault(): void {
    if (this.#state.cancelable && !this.#state.passive) this.#state.canceled = true;
  }
  stopPropagation(): void {
    this.#state.stopped = true;
  }
  stopImmediatePropagation(): void {
    this.#state.stopped = true;
    this.#state.stoppedNow = true;
  }
  initEvent(type: unknown, bubbles: unknown = false, cancelable: unknown = false): void {
    required(arguments, 1, "Event.initEvent");
    if (this.#state.dispatching) return;
    Object.assign(this.#state, {
      type: domString(type),
      bubbles: Boolean(bubbles),
      cancelable: Boolean(cancelable),
      canceled: false,
      stopped: false,
      stoppedNow: false,
      trusted: false,
      target: null,
    });
  }
}
defineInterface(Event);
for (const [name, value] of [
  ["NONE", 0],
  ["CAPTURING_PHASE", 1],
  ["AT_TARGET", 2],
  ["BUBBLING_PHASE", 3],
] as const) {
  const constant = { value, enumerable: true, writable: false, configurable: false };
  Object.defineProperty(Event.prototype, name, constant);
  Object.defineProperty(Event, name, constant);
}

let dispatch: (target: EventTarget, event: Event) => boolean;

export class EventTarget {
  #listeners: Listener[] = [];

  static {
    dispatch = (target, event) => target.#dispatch(event);
  }

  addEventListener(type: unknown, callback: unknown, options: unknown = undefined): void {
    required(arguments, 2, "EventTarget.addEventListener");
    const name = domString(type);
    const bag =
      typeof options === "object" && options !== null
        ? (options as Record<string, unknown>)
        : { capture: options };
    const signal = bag["signal"];
    const listener: Listener = {
      type: name,
      callback,
      capture: Boolean(bag["capture"]),
      passive: Boolean(bag["passive"]),
      once: Boolean(bag["once"]),
      removed: false,
    };
    if ("signal" in bag && signal !== undefined && !(signal instanceof EventTarget && "aborted" in signal)) {
      throw new TypeError("The signal option is not an AbortSignal");
    }
    if (signal !== undefined && (signal as { aborted: boolean }).aborted) return;
    if (callback === null || callback === undefined) return;
    if (typeof callback !== "function" && typeof callback !== "object")
      throw new TypeError("A listener must be a function or an object");
    if (this.#find(listener) !== undefined) return;
    this.#listeners.push(listener);
    if (signal !== undefined) {
      (signal as EventTarget).addEventListener(
        "abort",
        () => this.removeEventListener(name, callback, listener.capture),
        { once: true },
      );
    }
  }

  removeEventListener(type: unknown, callback: unknown, options: unknown = undefined): void {
    required(arguments, 2, "EventTarget.removeEventListener");
    const bag =
      typeof options === "object" && options !== null
        ? (options as Record<string, unknown>)
        : { capture: options };
    const found = this.#find({ type: domString(type), callback, capture: Boolean(bag["capture"]) });
    if (found === undefined) return;
    found.removed = true;
    this.#listeners = this.#listeners.filter((listener) => listener !== found);
  }

  dispatchEvent(event: unknown): boolean {
    required(arguments, 1, "EventTarget.dispatchEvent");
    if (!(event instanceof Event)) throw new TypeError("dispatchEvent needs an Event");
    const state = stateOf(event);
    if (state.dispatching || !state.initialized)
      throw new DOMException("The event is already being dispatched", "InvalidStateError");
    state.trusted = false;
    return this.#dispatch(event);
  }

  #find(wanted: Pick<Listener, "type" | "callback" | "capture">): Listener | undefined {
    return this.#listeners.find(
      (listener) =>
        listener.type === wanted.type &&
        listener.callback === wanted.callback &&
        listener.capture === wanted.capture,
    );
  }

  #dispatch(event: Event): boolean {
    const state = stateOf(event);
    state.dispatching = true;
    state.target = this;
    state.current = this;
    for (const capture of [true, false]) {
      if (state.stopped) break;
      for (const listener of [...this.#listeners]) {
        if (listener.removed || listener.type !== state.type || listener.capture !== capture) continue;
        if (state.stoppedNow) break;
        this.#invoke(listener, event, state);
      }
    }
    state.dispatching = false;
    state.current = null;
    state.stopped = false;
    state.stoppedNow = false;
    return !state.canceled;
  }

  #invoke(listener: Listener, event: Event, state: EventState): void {
    if (listener.once) this.removeEventListener(listener.type, listener.callback, listener.capture);
    state.passive = listener.passive;
    try {
      if (typeof listener.callback === "function") Reflect.apply(listener.callback, this, [event]);
      else {
        const handle = (listener.callback as { handleEvent?: unknown }).handleEvent;
        if (typeof handle !== "function") throw new TypeError("handleEvent is not a function");
        Reflect.apply(handle, listener.callback, [event]);
      }
    } catch (error) {
      reportError(error);
    }
    state.passive = false;
  }
}
defineInterface(EventTarget);

/** Dispatches an event of the platform itself (`isTrusted`). */
export function fire(target: EventTarget, event: Event): void {
  stateOf(event).trusted = true;
  dispatch(target, event);
}

/** An `on…` attribute: the current function is called at the position of its first assignment. */
export function defineHandler(prototype: object, type: string): void {
  const handlers = new WeakMap<EventTarget, { current: unknown }>();
  Object.defineProperty(prototype, `on${type}`, {
    get(this: EventTarget) {
      return handlers.get(this)?.current ?? null;
    },
    set(this: EventTarget, value: unknown) {
      const handler =
        typeof value === "function" || (typeof value === "object" && value !== null) ? value : null;
      const slot = handlers.get(this);
      if (slot !== undefined) {
        slot.current = handler;
        return;
      }
      const fresh = { current: handler as unknown };
      handlers.set(this, fresh);
      this.addEventListener(type, (event: unknown) => {
        if (typeof fresh.current === "function")
          return Reflect.apply(fresh.current, this, [event]) as unknown;
        return undefined;
      });
    },
    enumerable: true,
    configurable: true,
  });
}

/** Reports an error of a listener or callback, which no caller can catch, to the program's global `reportError`. */
export function reportError(error: unknown): void {
  const target = globalThis as unknown as { reportError?: (error: unknown) => void };
  target.reportError?.(error);
}
