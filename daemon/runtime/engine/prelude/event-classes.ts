// The event classes with fields of their own. Nothing in a smart function fires most of them; libraries construct them.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { Event } from "./events.ts";
import { defineInterface, dictionary } from "./webidl.ts";

type Fields = Record<string, unknown>;

function eventClass(name: string, defaults: Fields): typeof Event {
  const stores = new WeakMap<object, Fields>();
  const made = {
    [name]: class extends Event {
      constructor(type: unknown, init: unknown = undefined) {
        super(...(arguments as unknown as [unknown, unknown]));
        void type;
        const bag = dictionary(init, `${name} init`);
        const fields: Fields = {};
        for (const key of Object.keys(defaults))
          fields[key] = bag[key] === undefined ? defaults[key] : bag[key];
        stores.set(this, fields);
      }
    },
  }[name] as unknown as typeof Event;
  for (const key of Object.keys(defaults)) {
    Object.defineProperty(made.prototype, key, {
      get(this: object) {
        const fields = stores.get(this);
        if (fields === undefined) throw new TypeError("Illegal invocation");
        return fields[key];
      },
      configurable: true,
      enumerable: true,
    });
  }
  defineInterface(made, name);
  return made;
}

export const CustomEvent = eventClass("CustomEvent", { detail: null });
Object.defineProperty(CustomEvent.prototype, "initCustomEvent", {
  value: function initCustomEvent(this: Event, type: unknown, bubbles: unknown, cancelable: unknown): void {
    this.initEvent(type, bubbles, cancelable);
  },
  writable: true,
  configurable: true,
  enumerable: true,
});
export const CloseEvent = eventClass("CloseEvent", { wasClean: false, code: 0, reason: "" });
export const ErrorEvent = eventClass("ErrorEvent", {
  message: "",
  filename: "",
  lineno: 0,
  colno: 0,
  error: undefined,
});
export const MessageEvent = eventClass("MessageEvent", {
  data: null,
  origin: "",
  lastEventId: "",
  source: null,
  ports: [],
});
export const ProgressEvent = eventClass("ProgressEvent", { lengthComputable: false, loaded: 0, total: 0 });
export const PromiseRejectionEvent = eventClass("PromiseRejectionEvent", {
  promise: null,
  reason: undefined,
});
