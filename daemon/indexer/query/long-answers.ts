// The single place for writing a long answer: working memory and undelivered text exist only once.
import { SandboxError } from "../../protocol/errors.ts";
import type { LongAnswers } from "./answer-writer.ts";

/** Milliseconds that a long answer waits for the place. */
const PATIENCE_MS = 20_000;

export class OneLongAnswer implements LongAnswers {
  #isTaken = false;
  readonly #waiting = new Set<() => void>();

  async enter(): Promise<() => void> {
    if (this.#isTaken)
      await new Promise<void>((resolve, reject) => {
        const tooLate = setTimeout(() => {
          this.#waiting.delete(go);
          reject(new SandboxError("SERVER_BUSY", { what: "long answers about the chain's history" }));
        }, PATIENCE_MS);
        const go = (): void => {
          clearTimeout(tooLate);
          resolve();
        };
        this.#waiting.add(go);
      });
    this.#isTaken = true;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#next();
    };
  }

  /** Hands the place to the longest waiting answer. */
  #next(): void {
    for (const go of this.#waiting) {
      this.#waiting.delete(go);
      return go();
    }
    this.#isTaken = false;
  }
}
