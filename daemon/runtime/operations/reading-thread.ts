// Reads the bodies of operations: small ones at once, large ones in a thread, in order, one at a time. The thread begins
// with the first large body, so that a sandbox that never sees one does not pay for it.
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { SandboxError } from "../../protocol/errors.ts";
import { type Reading, readOperation, type Readings } from "./read-operation.ts";

/** Bodies up to this size take less than 20 ms, whatever is in them. */
export const SMALL_BODY = 128 * 1024;
/** A body of the server's limit becomes 150 MB at most; what does not fit ends the thread. */
const READER_HEAP_MB = 400;

export interface ReadingRequest {
  readonly what: keyof Readings;
  readonly body: Uint8Array;
}
export type ReadingAnswer = Reading<Readings[keyof Readings]>;

interface Waiting extends ReadingRequest {
  /** Whether nobody waits for the answer any more. */
  readonly isGone: () => boolean;
  readonly resolve: (answer: ReadingAnswer | undefined) => void;
  readonly reject: (error: Error) => void;
}

export class ReadingThread {
  readonly #directory: string;
  readonly #queue: Waiting[] = [];
  #current: Waiting | undefined;
  #worker: Worker | undefined;

  /** @param directory folder of the bundle `operation-reader.cjs` */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Reads a body; undefined when whoever sent it has gone meanwhile.
   * @throws SandboxError SERVER_BUSY when the thread has ended over it
   */
  read<K extends keyof Readings>(
    what: K,
    body: Uint8Array,
    isGone: () => boolean,
  ): Reading<Readings[K]> | Promise<Reading<Readings[K]> | undefined> {
    if (body.length <= SMALL_BODY) return readOperation(what, body);
    return new Promise((resolve, reject) => {
      const done = resolve as (answer: ReadingAnswer | undefined) => void;
      this.#queue.push({ what, body, isGone, resolve: done, reject });
      this.#next();
    });
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #next(): void {
    if (this.#current !== undefined) return;
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      if (next.isGone()) {
        next.resolve(undefined);
        continue;
      }
      this.#current = next;
      const { what, body } = next;
      (this.#worker ??= this.#spawn()).postMessage({ what, body } satisfies ReadingRequest);
      return;
    }
  }

  #spawn(): Worker {
    const worker = new Worker(join(this.#directory, "operation-reader.cjs"), {
      resourceLimits: { maxOldGenerationSizeMb: READER_HEAP_MB },
    });
    worker.unref();
    let reason = "it ended";
    worker.on("message", (answer: ReadingAnswer) => {
      this.#current?.resolve(answer);
      this.#current = undefined;
      this.#next();
    });
    worker.on("error", (error: Error) => (reason = error.message));
    worker.on("exit", () => {
      this.#worker = undefined;
      this.#current?.reject(
        new SandboxError("SERVER_BUSY", { what: `the reading of an operation (${reason})` }),
      );
      this.#current = undefined;
      this.#next();
    });
    return worker;
  }
}
