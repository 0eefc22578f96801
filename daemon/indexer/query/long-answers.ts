// The one place where a long answer is written: what it takes beside its text, and the text on its way, is there once only.
import { SandboxError } from "../../protocol/errors.ts";
import type { LongAnswers } from "./answer-writer.ts";

/** Milliseconds that a long answer waits for those before it. */
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

  /** The place goes to who has waited longest, without being free in between. */
  #next(): void {
    for (const go of this.#waiting) {
      this.#waiting.delete(go);
      return go();
    }
    this.#isTaken = false;
  }
}
