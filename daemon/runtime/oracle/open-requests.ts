// Requests to the outside in flight, on the thread of the HTTP side: limited in number and in bytes of answers, aborted
// as soon as the answer is no longer needed, and forgotten when the executor has received it.
import { type CallRequest, type CallResponse, textResponse } from "../call/http-message.ts";

export interface OutsideOptions {
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** Reserves space for an answer of this many bytes. @returns false when there is none */
  hold(bytes: number): boolean;
}

/** Performs a request to the outside; never rejects. */
export type AskOutside = (request: CallRequest, options: OutsideOptions) => Promise<CallResponse>;

interface OpenRequest {
  readonly abort: AbortController;
  bytes: number;
}

/** Limit of requests in flight, over all operations. */
export const MAX_OPEN_REQUESTS = 128;
/** Limit of the bytes of all their answers, until the executor has received them: two of the largest. */
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

  /** Bytes of answers held at present. */
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
      if (bytes <= open.bytes) return true; // already reserved
      if (this.#held - open.bytes + bytes > MAX_HELD_BYTES) return false;
      this.#held += bytes - open.bytes;
      open.bytes = bytes;
      return true;
    };
    void this.#ask(request, { signal: open.abort.signal, hold }).then((response) => {
      if (this.#open.get(requestId) === open) this.#answer(requestId, response);
    });
  }

  /** The executor has received the answer, or no longer needs it. */
  close(requestId: number): void {
    const open = this.#open.get(requestId);
    if (open === undefined) return;
    this.#open.delete(requestId);
    this.#held -= open.bytes;
    open.abort.abort();
  }

  /** Closes all requests after the loss of the executor that made them. */
  closeAll(): void {
    for (const requestId of [...this.#open.keys()]) this.close(requestId);
  }
}

const busy = (): CallResponse =>
  textResponse(503, "Service Unavailable", "Too many requests to the outside are under way");
