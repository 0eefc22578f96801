// Live following: calls run as ever, and each that would have stopped is opened at its first stop. The others wait in a
// queue while one is open.
import type { Arrival } from "../protocol/debug-session-api.ts";
import { isError, reasonOf, SandboxError } from "../protocol/errors.ts";
import { type AdapterHost, openRemoteSession, type RemoteSession } from "./adapter-host.ts";

/** Operations that wait while one is open. */
const MAX_QUEUE = 100;

export interface LiveCallsUse {
  /** Whether an operation is open: the next then waits. */
  readonly isOpen: () => boolean;
  /** Gives a new session the breakpoints. @throws SandboxError */
  readonly prepare: (session: RemoteSession) => Promise<void>;
  /** An operation stops: its session is the adapter's from here on. */
  readonly onStop: (session: RemoteSession, arrival: Arrival) => void;
  /** An operation ran to its end without a stop. */
  readonly onPass: (arrival: Arrival) => void;
  /** Writes a line to the debug console. */
  readonly print: (text: string) => void;
}

export class LiveCalls {
  readonly #host: AdapterHost;
  readonly #use: LiveCallsUse;
  readonly #abort = new AbortController();
  readonly #queue: string[] = [];
  #isBusy = false;

  constructor(host: AdapterHost, use: LiveCallsUse) {
    this.#host = host;
    this.#use = use;
  }

  /**
   * @param onOpen called once calls are followed
   * @param onFailed called when following ends before `stop`
   */
  follow(onOpen: () => void, onFailed: (error: unknown) => void): void {
    const { signal } = this.#abort;
    const failed = (error: unknown): void => {
      if (!signal.aborted) onFailed(error);
    };
    this.#host
      .follow({ onOperation: (hash) => this.#add(hash), onOpen, signal })
      .then(() => failed(new SandboxError("SANDBOX_NOT_RUNNING", { endpoint: "" })), failed);
  }

  stop(): void {
    this.#abort.abort();
  }

  #add(hash: string): void {
    if (this.#queue.length >= MAX_QUEUE) return this.#use.print(`Not looked at, since many wait: ${hash}`);
    this.#queue.push(hash);
    void this.next();
  }

  /** Goes through the operations in the queue until one of them stops. */
  async next(): Promise<void> {
    if (this.#abort.signal.aborted || this.#isBusy || this.#use.isOpen()) return;
    this.#isBusy = true;
    try {
      for (let hash = this.#queue.shift(); hash !== undefined; hash = this.#queue.shift())
        if (await this.#stopsIn(hash)) return;
    } finally {
      this.#isBusy = false;
    }
  }

  async #stopsIn(hash: string): Promise<boolean> {
    let session: RemoteSession;
    try {
      session = await openRemoteSession(this.#host, hash);
    } catch (error) {
      // It runs no function, or the sandbox has discarded its record.
      if (!isError(error, "REPLAY_IMPOSSIBLE")) this.#use.print(reasonOf(error));
      return false;
    }
    await this.#use.prepare(session);
    const arrival = await session.ask({ command: "go", motion: { kind: "continue" } });
    if (arrival.reason === "end") {
      this.#use.onPass(arrival);
      await session.close();
      return false;
    }
    this.#use.onStop(session, arrival);
    return true;
  }
}
