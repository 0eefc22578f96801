// What an operation met besides its job and the ledger: with it, it can run again and end the same. The executor
// records it; most operations meet nothing of the kind, and then there is no record.
import { type CallResponse, responseLength } from "../call/http-message.ts";

/** An answer from outside, with the number of its request among those of the operation, from 0. */
export interface OutsideAnswer {
  readonly request: number;
  readonly response: CallResponse;
}

export interface Circumstances {
  /** Its nonce was taken before: it waited for the outside, or its first executor was lost. */
  readonly nonceTaken: boolean;
  /** Times that its calls saw, in order; empty where time stands still. */
  readonly times: readonly number[];
  /** Calls, counted from 0, for which the engine had no room. */
  readonly roomless: readonly number[];
  /** Whether it was allowed to wait for the outside, for each time that it came to rest. */
  readonly waits: readonly boolean[];
  /** Layer 1 had to accept earlier messages first. */
  readonly outboxFull: boolean;
  /** Answers in order of arrival; undefined when they were too large to be kept. */
  readonly answers: readonly OutsideAnswer[] | undefined;
}

/** Bytes of answers kept for one operation. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export class CircumstancesRecorder {
  #nonceTaken = false;
  #outboxFull = false;
  #calls = 0;
  #times: number[] | undefined;
  #roomless: number[] | undefined;
  #waits: boolean[] | undefined;
  #answers: OutsideAnswer[] | undefined = [];
  #answerBytes = 0;

  nonceWasTaken(): void {
    this.#nonceTaken = true;
  }

  outboxWasFull(): void {
    this.#outboxFull = true;
  }

  /** @param time that the call sees; undefined where time stands still */
  opened(hasRoom: boolean, time: number | undefined): void {
    if (!hasRoom) (this.#roomless ??= []).push(this.#calls);
    else if (time !== undefined) (this.#times ??= []).push(time);
    this.#calls++;
  }

  rested(mayWait: boolean): void {
    (this.#waits ??= []).push(mayWait);
  }

  answered(request: number, response: CallResponse): void {
    this.#answerBytes += responseLength(response);
    if (this.#answerBytes > MAX_ANSWER_BYTES) this.#answers = undefined;
    this.#answers?.push({ request, response });
  }

  /** Undefined when there is nothing to tell. */
  recorded(): Circumstances | undefined {
    const answers = this.#answers;
    const isMarked = this.#nonceTaken || this.#outboxFull;
    if (!isMarked && !this.#times && !this.#roomless && !this.#waits && answers?.length === 0)
      return undefined;
    return {
      nonceTaken: this.#nonceTaken,
      times: this.#times ?? [],
      roomless: this.#roomless ?? [],
      waits: this.#waits ?? [],
      outboxFull: this.#outboxFull,
      answers,
    };
  }
}

/** Approximate bytes of a record. */
export function circumstancesBytes({ times, roomless, waits, answers }: Circumstances): number {
  const bodies = answers?.reduce((sum, { response }) => sum + 200 + responseLength(response), 0) ?? 0;
  return bodies + 8 * (times.length + roomless.length + waits.length);
}
