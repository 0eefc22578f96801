// The requests of one operation to the outside. They are sent only when the operation stops without having touched
// state, so what it reads or writes is never older than its commit. From its first access to state, open requests are
// refused, so that the operation runs to its end without another in between.
import { type CallRequest, type CallResponse, bodyLength, textResponse } from "./http-message.ts";
import type { CallWorld, Done, LiveCall, OutsideRequest } from "./live-call.ts";

/** Requests that one operation may make in total, and how many may be open at once. */
const MAX_REQUESTS = 64;
const MAX_OPEN_REQUESTS = 16;
/** Bytes of all requests of one operation. */
const MAX_REQUEST_BYTES = 1024 * 1024;

/** Answer to a request of an operation that has touched state. */
export const DIRTY_REFUSAL = textResponse(
  400,
  "Bad Request",
  "Oracle requests are not allowed when transaction has pending changes",
);
/** Answer when too many functions are waiting. */
const BUSY_REFUSAL = textResponse(
  503,
  "Service Unavailable",
  "Too many smart functions wait for answers from outside",
);

export class OutsideRequests {
  readonly #world: CallWorld;
  #unsent: OutsideRequest[] = [];
  #made = 0;
  #open = 0;
  #bytes = 0;

  constructor(world: CallWorld) {
    this.#world = world;
  }

  /** Accepts a request, or refuses it at once. */
  add(call: LiveCall, request: CallRequest, done: Done): void {
    if (++this.#made > MAX_REQUESTS || this.#open >= MAX_OPEN_REQUESTS) return done(tooMany());
    this.#bytes += sizeOf(request);
    if (this.#bytes > MAX_REQUEST_BYTES) return done(tooLarge());
    const outside: OutsideRequest = { call, request, done, id: undefined };
    call.outside.add(outside);
    this.#open++;
    this.#unsent.push(outside);
  }

  /**
   * Refuses one outside request that the given call, or a call below it, is waiting for, after the operation touched
   * state.
   */
  refuseWithin(call: LiveCall): void {
    const outside = firstOutside(call);
    if (outside === undefined) throw new Error("a waiting call has no outside request");
    this.#refuse(outside, DIRTY_REFUSAL);
  }

  /**
   * Sends the queued requests once no guest runs, or refuses them where no more functions may wait.
   * @param arrived called for each answer that a call still waits for
   */
  rest(top: ReadonlySet<LiveCall>, liveCalls: number, arrived: () => void): void {
    if (this.#world.mayWait(liveCalls)) return this.#send(arrived);
    for (const call of top) {
      for (let next = firstOutside(call); next !== undefined; next = firstOutside(call))
        this.#refuse(next, BUSY_REFUSAL);
    }
  }

  #send(arrived: () => void): void {
    const unsent = this.#unsent;
    this.#unsent = [];
    for (const outside of unsent) {
      if (!outside.call.outside.has(outside)) continue; // its call has ended in the meantime
      outside.id = this.#world.askOracle(outside.request, (response) => {
        if (!this.#remove(outside)) return;
        outside.done(response);
        arrived();
      });
    }
  }

  /** @returns false when it is no longer open */
  #remove(outside: OutsideRequest): boolean {
    if (!outside.call.outside.delete(outside)) return false;
    this.#open--;
    return true;
  }

  #refuse(outside: OutsideRequest, refusal: CallResponse): void {
    this.cancel(outside);
    outside.done(refusal);
  }

  /** Drops a request without an answer. */
  cancel(outside: OutsideRequest): void {
    if (this.#remove(outside) && outside.id !== undefined) this.#world.cancelOracle(outside.id);
  }
}

/** A request that the call or one of its descendants is waiting for, if any. */
function firstOutside({
  outside,
  children,
}: Pick<LiveCall, "outside" | "children">): OutsideRequest | undefined {
  const [own] = outside;
  if (own !== undefined) return own;
  for (const child of children) {
    const found = firstOutside(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Approximate bytes of a request. */
export function sizeOf({ url, headers, body }: CallRequest): number {
  const head = headers.reduce((sum, [name, value]) => sum + name.length + value.length, url.length);
  return head + bodyLength(body);
}

const tooMany = (): CallResponse =>
  textResponse(
    429,
    "Too Many Requests",
    `An operation may make ${MAX_REQUESTS} requests to the outside, ${MAX_OPEN_REQUESTS} of them at once`,
  );

const tooLarge = (): CallResponse =>
  textResponse(
    413,
    "Content Too Large",
    `The requests of an operation to the outside may have ${MAX_REQUEST_BYTES} bytes in all`,
  );
