// Further members of the real runtime's global scope, which is that of a dedicated worker.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { EventTarget } from "./events.ts";
import { defineInterface, required, unsignedShort } from "./webidl.ts";

const illegal = (): never => {
  throw new TypeError("Illegal constructor");
};

export class WorkerGlobalScope extends EventTarget {
  constructor() {
    super();
    illegal();
  }
}
defineInterface(WorkerGlobalScope);

export class DedicatedWorkerGlobalScope extends WorkerGlobalScope {}
defineInterface(DedicatedWorkerGlobalScope);

const globalTarget = new EventTarget();

/** The global scope is an event target; nothing but the program itself fires events on it. */
export const globalEvents = {
  addEventListener: (...values: [unknown, unknown, unknown?]) => globalTarget.addEventListener(...values),
  removeEventListener: (...values: [unknown, unknown, unknown?]) =>
    globalTarget.removeEventListener(...values),
  dispatchEvent: (event: unknown) => globalTarget.dispatchEvent(event),
};

export class WorkerLocation {
  constructor() {
    illegal();
  }
  toString(): string {
    return "";
  }
}
defineInterface(WorkerLocation);

export class ImageData {
  #data: Uint8ClampedArray;
  #width: number;
  #height: number;

  constructor(dataOrWidth: unknown, widthOrHeight: unknown, height: unknown = undefined) {
    required(arguments, 2, "ImageData constructor");
    const size = (value: unknown): number => {
      const number = unsignedShort(value);
      if (number === 0) throw new DOMException("An image needs at least one pixel", "IndexSizeError");
      return number;
    };
    if (dataOrWidth instanceof Uint8ClampedArray) {
      this.#data = dataOrWidth;
      this.#width = size(widthOrHeight);
      if (dataOrWidth.length === 0 || dataOrWidth.length % 4 !== 0)
        throw new DOMException("The data is no multiple of 4 bytes", "InvalidStateError");
      this.#height = dataOrWidth.length / 4 / this.#width;
      if (!Number.isInteger(this.#height) || (height !== undefined && size(height) !== this.#height)) {
        throw new DOMException("The data does not fit the size", "IndexSizeError");
      }
      return;
    }
    this.#width = size(dataOrWidth);
    this.#height = size(widthOrHeight);
    this.#data = new Uint8ClampedArray(this.#width * this.#height * 4);
  }
  get width(): number {
    return this.#width;
  }
  get height(): number {
    return this.#height;
  }
  get data(): Uint8ClampedArray {
    return this.#data;
  }
  get colorSpace(): string {
    return this.#data && "srgb";
  }
}
defineInterface(ImageData);
