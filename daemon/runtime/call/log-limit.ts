// The limit of what one operation may log.

/** Characters; each record counts as a hundred more, for an empty one takes memory too. */
const MAX_LOG_PER_OPERATION = 1024 * 1024;
const RECORD_OVERHEAD = 100;
const LOG_CUT = "… (the rest of the log of this operation is dropped)\n";

export class LogLimit {
  #used = 0;
  #isReached = false;

  /** The text as far as the limit allows, with a note where it ends; undefined once that was said. */
  take(text: string): string | undefined {
    if (this.#isReached) return undefined;
    const left = MAX_LOG_PER_OPERATION - this.#used;
    this.#used += text.length + RECORD_OVERHEAD;
    this.#isReached = text.length > left;
    return this.#isReached ? `${text.slice(0, Math.max(left, 0))}${LOG_CUT}` : text;
  }
}
