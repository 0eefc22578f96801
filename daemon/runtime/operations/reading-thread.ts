// Reads the bodies of operations: small ones on this thread, in turn with its other work, large ones in a thread of their
// own, one at a time. That begins with the first large body, so that a sandbox that never sees one does not pay for it.
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { mainThread } from "../../http/shared-thread.ts";
import { SandboxError } from "../../protocol/errors.ts";
import { type Reading, readOperation, type Readings } from "./read-operation.ts";

/** Bodies up to this size take less than 20 ms, whatever is in them. */
export const SMALL_BODY = 128 * 1024;
/** A body of the server's limit becomes 100 MB at most; what does not fit ends the thread. */
const READER_HEAP_MB = 224;
const READER_YOUNG_MB = 16;
/** The smallest body that waits is read next, but every so many times the one that waits longest. */
const OLDEST_EVERY = 4;

/** Names of bodies by what is read of them and the leading zeros of their length. */
const KINDS: Readonly<Record<keyof Readings, readonly string[]>> = {
  signed: Array.from({ length: 33 }, (_, zeros) => `signed ${zeros}`),
  hash: Array.from({ length: 33 }, (_, zeros) => `hash ${zeros}`),
};

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
  #taken = 0;
  #worker: Worker | undefined;

  /** @param directory folder of the bundle `operation-reader.cjs` */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Reads a body; undefined when whoever sent it has gone meanwhile.
   * @throws SandboxError SERVER_BUSY when too many are read, or the thread has ended over it
   */
  read<K extends keyof Readings>(
    what: K,
    body: Uint8Array,
    isGone: () => boolean,
  ): Reading<Readings[K]> | Promise<Reading<Readings[K]> | undefined> {
    if (body.length <= SMALL_BODY) return this.#readHere(what, body, isGone);
    return new Promise((resolve, reject) => {
      const done = resolve as (answer: ReadingAnswer | undefined) => void;
      this.#queue.push({ what, body, isGone, resolve: done, reject });
      this.#next();
    });
  }

  #readHere<K extends keyof Readings>(
    what: K,
    body: Uint8Array,
    isGone: () => boolean,
  ): Reading<Readings[K]> | Promise<Reading<Readings[K]> | undefined> {
    let reading: Reading<Readings[K]> | undefined;
    let settle: ((reading?: Promise<Reading<Readings[K]>>) => void) | undefined;
    const busy = (): SandboxError => new SandboxError("SERVER_BUSY", { what: "operations" });
    let isRefused = false;
    const refuse = (): void => {
      isRefused = true;
      settle?.(Promise.reject(busy()));
    };
    const go = (): void => {
      if (settle === undefined) reading = readOperation(what, body);
      else if (isGone()) settle();
      else settle(new Promise((resolve) => resolve(readOperation(what, body))));
    };
    // Bodies of about one length take about the same time.
    const name = KINDS[what][Math.clz32(body.length)]!;
    mainThread.run({ name, kind: name, go, refuse, isGone: () => false });
    if (isRefused) throw busy();
    if (reading !== undefined) return reading;
    return new Promise((resolve) => (settle = resolve));
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #next(): void {
    if (this.#current !== undefined) return;
    for (let next = this.#choose(); next; next = this.#choose()) {
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

  #choose(): Waiting | undefined {
    const isOldest = ++this.#taken % OLDEST_EVERY === 0;
    let at = 0;
    if (!isOldest)
      for (const [index, { body }] of this.#queue.entries())
        if (body.length < this.#queue[at]!.body.length) at = index;
    return this.#queue.splice(at, 1)[0];
  }

  #spawn(): Worker {
    const worker = new Worker(join(this.#directory, "operation-reader.cjs"), {
      resourceLimits: { maxOldGenerationSizeMb: READER_HEAP_MB, maxYoungGenerationSizeMb: READER_YOUNG_MB },
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
