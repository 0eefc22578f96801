// Limits how many pieces of asynchronous work run at a time, so that many requests at once do not block the thread.
import { SandboxError } from "../protocol/errors.ts";

export class Lanes {
  readonly #options: { readonly count: number; readonly maxWaiting: number; readonly what: string };
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param options `what`: the name of the work in error texts, in the plural */
  constructor(options: { readonly count: number; readonly maxWaiting: number; readonly what: string }) {
    this.#options = options;
  }

  /** Runs the work when its turn comes. @throws SandboxError SERVER_BUSY, and the errors of the work */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { count, maxWaiting, what } = this.#options;
    if (this.#running < count) this.#running++;
    else {
      if (this.#waiting.length >= maxWaiting) throw new SandboxError("SERVER_BUSY", { what });
      await new Promise<void>((resolve) => this.#waiting.push(resolve)); // takes over the lane of finished work
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
