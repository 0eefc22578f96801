// MessageChannel and MessagePort within one call: messages are copied and arrive as microtasks.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { MessageEvent } from "./event-classes.ts";
import { defineHandler, EventTarget, fire } from "./events.ts";
import { serialize } from "./structured-clone.ts";
import { defineInterface, required } from "./webidl.ts";

let makePorts: () => [MessagePort, MessagePort];
let allowed = false;

export class MessagePort extends EventTarget {
  #other: MessagePort | undefined;
  #queue: unknown[] = [];
  #started = false;
  #closed = false;

  static {
    makePorts = () => {
      allowed = true;
      const first = new MessagePort();
      const second = new MessagePort();
      allowed = false;
      first.#other = second;
      second.#other = first;
      return [first, second];
    };
  }

  constructor() {
    if (!allowed) throw new TypeError("Illegal constructor");
    super();
  }

  postMessage(message: unknown, options: unknown = undefined): void {
    required(arguments, 1, "MessagePort.postMessage");
    const list = Array.isArray(options)
      ? options
      : ((options as { transfer?: unknown[] } | undefined)?.transfer ?? []);
    const data = serialize(message, list as unknown[]);
    const target = this.#other;
    if (target === undefined || this.#closed || target.#closed) return;
    target.#queue.push(data);
    target.#deliver();
  }

  start(): void {
    this.#started = true;
    this.#deliver();
  }

  close(): void {
    this.#closed = true;
  }

  static begin(port: MessagePort): void {
    port.start();
  }

  #deliver(): void {
    if (!this.#started) return;
    queueMicrotask(() => {
      if (this.#closed || this.#queue.length === 0) return;
      fire(this, new MessageEvent("message", { data: this.#queue.shift() }));
    });
  }
}
const begin = MessagePort.begin;
delete (MessagePort as unknown as { begin?: unknown }).begin;
defineInterface(MessagePort);
defineHandler(MessagePort.prototype, "message");
defineHandler(MessagePort.prototype, "messageerror");
const onmessage = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage") as PropertyDescriptor;
Object.defineProperty(MessagePort.prototype, "onmessage", {
  ...onmessage,
  set(this: MessagePort, value: unknown) {
    onmessage.set?.call(this, value);
    begin(this);
  },
});

export class MessageChannel {
  #ports = makePorts();

  get port1(): MessagePort {
    return this.#ports[0];
  }

  get port2(): MessagePort {
    return this.#ports[1];
  }
}
defineInterface(MessageChannel);
