// Bytes of large answers that their readers have not taken yet, of one server: whoever asks for much and reads
// nothing must not make the sandbox hold it all.
import type { ServerResponse } from "node:http";
import { onResponseEnd } from "./response-end.ts";

/** Answers up to this size are not counted. */
export const SMALL_ANSWER = 64 * 1024;
/** Bytes of all larger ones together. A single answer may be larger than that. */
export const MAX_UNSENT_BYTES = 32 * 1024 * 1024;
/** Time in which a reader has to take a large answer. */
const PATIENCE_MS = 60_000;

export class UnsentAnswers {
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts an answer until it is sent. @returns false when there are too many unsent bytes */
  admit(response: ServerResponse, length: number): boolean {
    if (length <= SMALL_ANSWER) return true;
    // It would wait behind another answer of its connection, which may never end.
    if (response.socket === null) return false;
    if (this.#bytes > 0 && this.#bytes + length > MAX_UNSENT_BYTES) return false;
    this.#bytes += length;
    const tooSlow = setTimeout(() => response.req.socket.destroy(), PATIENCE_MS);
    tooSlow.unref();
    onResponseEnd(response, () => {
      clearTimeout(tooSlow);
      this.#bytes -= length;
    });
    return true;
  }
}
