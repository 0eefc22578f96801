// Live following: calls run as ever, and each that would have stopped is opened at its first stop. The others wait in a
// queue while one is open. On demand a call is held until it was looked at; if it stops, until the editor has seen it.
import type { AllBreakpoints, Arrival, ReleasedBy } from "../protocol/debug-session-api.ts";
import { isError, reasonOf } from "../protocol/errors.ts";
import { type AdapterHost, openAtFirstStop, type RemoteSession, sandboxEnded } from "./adapter-host.ts";
import { HeldCalls } from "./held-calls.ts";

/** Operations that wait while one is open. */
const MAX_QUEUE = 100;

export interface LiveCallsUse {
  /** Whether an operation is open: the next then waits. */
  readonly isOpen: () => boolean;
  /** Whether anything could stop a call. */
  readonly canStop: () => boolean;
  readonly breakpoints: () => AllBreakpoints;
  /** An operation stops: its session is the adapter's from here on. @param isHeld whether it has not run yet */
  readonly onStop: (session: RemoteSession, arrival: Arrival, isHeld: boolean) => void;
  /** An operation ran to its end without a stop. */
  readonly onPass: (arrival: Arrival) => void;
  /** A held operation goes on, whether it is open or not. */
  readonly onReleased: (hash: string, by: ReleasedBy) => void;
  /** Following or holding ended before `stop`. */
  readonly onFailed: (error: unknown) => void;
  /** Writes a line to the debug console. */
  readonly print: (text: string) => void;
}

export class LiveCalls {
  readonly #host: AdapterHost;
  readonly #use: LiveCallsUse;
  readonly #abort = new AbortController();
  readonly #queue: string[] = [];
  /** Calls that were looked at before they ran. */
  readonly #seen = new Set<string>();
  #held: HeldCalls | undefined;
  #isBusy = false;

  constructor(host: AdapterHost, use: LiveCallsUse) {
    this.#host = host;
    this.#use = use;
  }

  /** Holds calls from now on, each for so long at most. @throws SandboxError HOLD_TAKEN */
  async hold(seconds: number): Promise<void> {
    const { onReleased, onFailed } = this.#use;
    this.#held = new HeldCalls(this.#host, { onHeld: () => this.#onHeld(), onReleased, onFailed });
    await this.#held.start(seconds, this.#abort.signal);
  }

  /** @param onOpen called once calls are followed */
  follow(onOpen: () => void): void {
    const { signal } = this.#abort;
    const fail = (error: unknown): void => {
      if (!signal.aborted) this.#use.onFailed(error);
    };
    this.#host
      .follow({ onOperation: (hash) => this.#add(hash), onOpen, signal })
      .then(() => fail(sandboxEnded()), fail);
  }

  stop(): void {
    this.#abort.abort();
  }

  /** Lets the held call go on that is open. @throws SandboxError */
  async release(): Promise<void> {
    await this.#held?.release();
  }

  #onHeld(): void {
    // One that cannot be shown now is opened after it has run.
    if (this.#use.isOpen()) void this.#held?.done();
    else void this.next();
  }

  #add(hash: string): void {
    if (this.#seen.delete(hash)) return;
    if (this.#queue.length >= MAX_QUEUE) return this.#use.print(`Not looked at, since many wait: ${hash}`);
    this.#queue.push(hash);
    void this.next();
  }

  /** Goes through the operations in the queue until one of them stops. */
  async next(): Promise<void> {
    if (this.#abort.signal.aborted || this.#isBusy || this.#use.isOpen()) return;
    this.#isBusy = true;
    try {
      const isShown = await this.#untilStop();
      // A call that is held meanwhile cannot be shown.
      if (isShown === "after the fact") await this.#held?.done();
    } finally {
      this.#isBusy = false;
    }
  }

  async #untilStop(): Promise<"held" | "after the fact" | "none"> {
    for (;;) {
      const held = this.#held?.take();
      if (held !== undefined) {
        if (await this.#stopsInHeld(held)) return "held";
        continue;
      }
      const hash = this.#queue.shift();
      if (hash === undefined) return "none";
      if (!this.#seen.delete(hash) && (await this.#look(hash)) === "stop") return "after the fact";
    }
  }

  async #stopsInHeld(hash: string): Promise<boolean> {
    const found = this.#use.canStop() ? await this.#look(hash, this.#held?.hold) : "nothing to stop at";
    if (found === "nothing to stop at") this.#markSeen(hash);
    if (found === "pass") this.#held?.passed(hash);
    else if (found !== "stop") await this.#held?.done(hash);
    return found === "stop";
  }

  async #look(hash: string, hold?: string): Promise<"stop" | "pass" | "failure"> {
    let found;
    try {
      const held = hold === undefined ? {} : { hold };
      found = await openAtFirstStop(this.#host, { hash, ...held, ...this.#use.breakpoints() });
    } catch (error) {
      // It runs no function, asks the outside, or the sandbox has discarded its record.
      if (!this.#abort.signal.aborted && !isError(error, "REPLAY_IMPOSSIBLE"))
        this.#use.print(reasonOf(error));
      return "failure";
    }
    if (hold !== undefined) this.#markSeen(hash);
    const { session, arrival } = found;
    if (session === undefined) {
      this.#use.onPass(arrival);
      return "pass";
    }
    this.#use.onStop(session, arrival, this.#held?.isHeld(hash) === true);
    return "stop";
  }

  /** It is told as finished later, unless its telling is lost. */
  #markSeen(hash: string): void {
    this.#seen.add(hash);
    for (const oldest of this.#seen) {
      if (this.#seen.size <= MAX_QUEUE) return;
      this.#seen.delete(oldest);
    }
  }
}
