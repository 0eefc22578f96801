// The calls that the sandbox holds for this session before it executes them: one at a time, until the editor no longer
// looks at it. Others go on meanwhile only when the held one did.
import type { ReleasedBy } from "../protocol/debug-session-api.ts";
import { reasonOf } from "../protocol/errors.ts";
import { type AdapterHost, sandboxEnded } from "./adapter-host.ts";

export interface HeldCallsUse {
  /** A call is held; `take` has it. */
  readonly onHeld: () => void;
  readonly onReleased: (hash: string, by: ReleasedBy) => void;
  /** Holding ended before the signal. */
  readonly onFailed: (error: unknown) => void;
}

export class HeldCalls {
  readonly #host: Pick<AdapterHost, "ask" | "hold">;
  readonly #use: HeldCallsUse;
  #hold = "";
  #current: { readonly hash: string; isTaken: boolean; isReleased: boolean } | undefined;

  constructor(host: Pick<AdapterHost, "ask" | "hold">, use: HeldCallsUse) {
    this.#host = host;
    this.#use = use;
  }

  /** Name of the hold, for `open`. */
  get hold(): string {
    return this.#hold;
  }

  /** Whether the call still waits. */
  isHeld(hash: string): boolean {
    return this.#current?.hash === hash && !this.#current.isReleased;
  }

  /** Resolves once calls are held. @throws SandboxError HOLD_TAKEN and those of the sandbox */
  start(seconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      let isOpen = false;
      const end = (error: unknown): void => {
        if (!isOpen) reject(error instanceof Error ? error : new Error(reasonOf(error)));
        else if (!signal.aborted) this.#use.onFailed(error);
      };
      this.#host
        .hold({
          seconds,
          signal,
          onOpen: (hold) => {
            isOpen = true;
            this.#hold = hold;
            resolve();
          },
          onHeld: (hash) => {
            this.#current = { hash, isTaken: false, isReleased: false };
            this.#use.onHeld();
          },
          onReleased: (hash, by) => {
            if (this.#current?.hash === hash) this.#current.isReleased = true;
            this.#use.onReleased(hash, by);
          },
        })
        .then(() => end(sandboxEnded()), end);
    });
  }

  /** A held call at which nobody has looked yet. */
  take(): string | undefined {
    if (this.#current === undefined || this.#current.isTaken) return undefined;
    this.#current.isTaken = true;
    return this.#current.hash;
  }

  /** The call goes on, while the editor still looks at it. @throws SandboxError */
  async release(): Promise<void> {
    if (this.#current !== undefined) await this.#tell("release", this.#current.hash);
  }

  /** The sandbox has let the call go on, and nobody looks at it. */
  passed(hash: string): void {
    if (this.#current?.hash === hash) this.#current = undefined; // the next may have come before the answer
  }

  /** Nobody looks at the call any more: it goes on, and the next may be held. */
  async done(hash = this.#current?.hash): Promise<void> {
    if (hash === undefined || this.#current?.hash !== hash) return;
    this.#current = undefined; // the next may come before the answer
    await this.#tell("done", hash).catch(() => undefined); // then the stream ends as well
  }

  async #tell(command: "release" | "done", hash: string): Promise<void> {
    await this.#host.ask({ command, hash, hold: this.#hold });
  }
}
