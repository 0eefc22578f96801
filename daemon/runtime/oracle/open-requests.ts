// Requests to the outside that are under way, seen from the thread of the HTTP side: bounded in number and in the
// bytes of their answers, cut as soon as nobody waits for them, and forgotten when the executor has taken the answer.
import { type CallRequest, type CallResponse, textResponse } from "../call/http-message.ts";

export interface OutsideOptions {
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Makes room for an answer of so many bytes. @returns false when there is none */
  hold(bytes: number): boolean;
}

/** Performs a request to the outside; never rejects. */
export type AskOutside = (request: CallRequest, options: OutsideOptions) => Promise<CallResponse>;

interface OpenRequest {
  readonly abort: AbortController;
  bytes: number;
}

/** Requests under way at once, of all operations. */
export const MAX_OPEN_REQUESTS = 128;
/** Bytes of all their answers, until the executor has taken them: two of the largest. */
export const MAX_HELD_BYTES = 20 * 1024 * 1024;

export class OpenRequests {
  readonly #ask: AskOutside;
  readonly #answer: (requestId: number, response: CallResponse) => void;
  readonly #open = new Map<number, OpenRequest>();
  #held = 0;

  constructor(ask: AskOutside, answer: (requestId: number, response: CallResponse) => void) {
    this.#ask = ask;
    this.#answer = answer;
  }

  /** Bytes of answers that are held now. */
  get held(): number {
    return this.#held;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Starts a request; its answer goes to the executor unless `close` comes first. */
  ask(requestId: number, request: CallRequest): void {
    if (this.#open.size >= MAX_OPEN_REQUESTS) {
      this.#answer(requestId, busy());
      return;
    }
    const open: OpenRequest = { abort: new AbortController(), bytes: 0 };
    this.#open.set(requestId, open);
    const hold = (bytes: number): boolean => {
      if (open.abort.signal.aborted) return false;
      if (bytes <= open.bytes) return true; // announced before
      if (this.#held - open.bytes + bytes > MAX_HELD_BYTES) return false;
      this.#held += bytes - open.bytes;
      open.bytes = bytes;
      return true;
    };
    void this.#ask(request, { signal: open.abort.signal, hold }).then((response) => {
      if (this.#open.get(requestId) === open) this.#answer(requestId, response);
    });
  }

  /** The executor has taken the answer, or nobody waits for it any more. */
  close(requestId: number): void {
    const open = this.#open.get(requestId);
    if (open === undefined) return;
    this.#open.delete(requestId);
    this.#held -= open.bytes;
    open.abort.abort();
  }

  /** The executor that asked is gone. */
  closeAll(): void {
    for (const requestId of [...this.#open.keys()]) this.close(requestId);
  }
}

const busy = (): CallResponse =>
  textResponse(503, "Service Unavailable", "Too many requests to the outside are under way");
