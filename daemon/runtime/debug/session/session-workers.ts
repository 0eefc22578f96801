// The threads of debug sessions. A thread takes longer to load its engine than most operations to run, so one thread takes
// one session after another: it stays loaded while a debugger holds calls, and for a while after each session.
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { WORKER_STACK_MB } from "../../engine/limits.ts";
import { newSessionCells, SENT, type SessionThreadInput, type ToSession } from "./session-messages.ts";

/** The heap of the thread holds a copy of the ledger, and what the recording tells besides its arrays. */
const HEAP_MB = 1_024;

/** Time for which a thread waits for the next session when no calls are held: it costs memory. */
const LINGER_MS = 10_000;

export interface SessionWorker {
  readonly worker: Worker;
  readonly cells: Int32Array;
  send(message: ToSession): void;
}

export class SessionWorkers {
  readonly #data: Omit<SessionThreadInput, "cells">;
  /** Loads its engine, or has done so; without a session. */
  #spare: SessionWorker | undefined;
  #isKeeping = false;
  readonly #lingerMs: number;
  #linger: NodeJS.Timeout | undefined;

  /** @param lingerMs time for which a thread is kept after a session when none has to stay */
  constructor(data: Omit<SessionThreadInput, "cells">, lingerMs = LINGER_MS) {
    this.#data = data;
    this.#lingerMs = lingerMs;
  }

  /** Keeps a thread loaded from now on. */
  keep(): void {
    this.#isKeeping = true;
    clearTimeout(this.#linger);
    if (this.#spare === undefined) this.#setSpare(this.#start());
  }

  /** Keeps none any more. */
  release(): void {
    this.#isKeeping = false;
    clearTimeout(this.#linger);
    void this.#spare?.worker.terminate();
    this.#spare = undefined;
  }

  /** The thread for a session: given back or ended by who took it. */
  take(): SessionWorker {
    const taken = this.#spare ?? this.#start();
    taken.worker.removeAllListeners();
    clearTimeout(this.#linger);
    this.#spare = undefined;
    return taken;
  }

  /**
   * @param used a thread whose session is over
   * @param isIdle whether it waits for commands; otherwise it is ended
   */
  giveBack(used: SessionWorker, isIdle: boolean): void {
    used.worker.removeAllListeners();
    if (isIdle && this.#spare === undefined) {
      used.send({ kind: "close" });
      this.#setSpare(used);
      if (!this.#isKeeping) this.#linger = setTimeout(() => this.release(), this.#lingerMs).unref();
      return;
    }
    used.worker.once("error", () => undefined); // one that comes too late to matter
    void used.worker.terminate();
    if (this.#isKeeping) this.keep();
  }

  #setSpare(idle: SessionWorker): void {
    this.#spare = idle;
    const isGone = (): void => {
      if (this.#spare === idle) this.#spare = undefined;
    };
    idle.worker.once("error", isGone).once("exit", isGone);
  }

  #start(): SessionWorker {
    const cells = newSessionCells();
    const worker = new Worker(join(this.#data.directory, "debug-session.cjs"), {
      workerData: { ...this.#data, cells } satisfies SessionThreadInput,
      resourceLimits: { stackSizeMb: WORKER_STACK_MB, maxOldGenerationSizeMb: HEAP_MB },
    });
    worker.unref();
    return {
      worker,
      cells,
      send(message) {
        worker.postMessage(message);
        Atomics.add(cells, SENT, 1);
        Atomics.notify(cells, SENT);
      },
    };
  }
}
