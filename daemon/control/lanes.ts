// Asynchronous work of which a few pieces run at a time, so that many requests at once leave the thread to others.
import { SandboxError } from "../protocol/errors.ts";

export class Lanes {
  readonly #options: { readonly count: number; readonly maxWaiting: number; readonly what: string };
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param options `what`: the work in an error text, in the plural */
  constructor(options: { readonly count: number; readonly maxWaiting: number; readonly what: string }) {
    this.#options = options;
  }

  /** Runs the work when its turn comes. @throws SandboxError SERVER_BUSY, and what the work throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { count, maxWaiting, what } = this.#options;
    if (this.#running < count) this.#running++;
    else {
      if (this.#waiting.length >= maxWaiting) throw new SandboxError("SERVER_BUSY", { what });
      await new Promise<void>((resolve) => this.#waiting.push(resolve)); // takes over the lane of who ends
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
