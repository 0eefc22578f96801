// Reads the bodies of operations: small ones on this thread, between its other work, large ones in a separate thread,
// one at a time. The thread starts with the first large body, so that a sandbox without large ones does not pay for it.
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { mainThread } from "../../http/shared-thread.ts";
import { SandboxError } from "../../protocol/errors.ts";
import { type Reading, readOperation, type Readings } from "./read-operation.ts";

/** Bodies up to this size take less than 20 ms, whatever their content. */
export const SMALL_BODY = 128 * 1024;
/** A body of the server's limit takes at most 100 MB; one that does not fit ends the thread. */
const READER_HEAP_MB = 224;
const READER_YOUNG_MB = 16;
/** The smallest waiting body is read next, but the oldest one every few times. */
const OLDEST_EVERY = 4;

/** Names of bodies by what they are read for and the leading zeros of their length. */
const KINDS: Readonly<Record<keyof Readings, readonly string[]>> = {
  signed: Array.from({ length: 33 }, (_, zeros) => `signed ${zeros}`),
  hash: Array.from({ length: 33 }, (_, zeros) => `hash ${zeros}`),
};

export interface ReadingRequest {
  readonly what: keyof Readings;
  readonly body: Uint8Array;
  readonly strict: boolean;
}
export type ReadingAnswer = Reading<Readings[keyof Readings]>;

interface Waiting extends Omit<ReadingRequest, "strict"> {
  /** Whether the client has disconnected. */
  readonly isGone: () => boolean;
  readonly resolve: (answer: ReadingAnswer | undefined) => void;
  readonly reject: (error: Error) => void;
}

export class ReadingThread {
  readonly #directory: string;
  readonly #strict: boolean;
  readonly #queue: Waiting[] = [];
  #current: Waiting | undefined;
  #taken = 0;
  #worker: Worker | undefined;

  /**
   * @param directory folder of the bundle `operation-reader.cjs`
   * @param strict whether to refuse what only this sandbox accepts
   */
  constructor(directory: string, strict = false) {
    this.#directory = directory;
    this.#strict = strict;
  }

  /**
   * Reads a body; undefined when its sender has disconnected.
   * @throws SandboxError SERVER_BUSY when too many are waiting, or the body ended the thread
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
      if (settle === undefined) reading = readOperation(what, body, this.#strict);
      else if (isGone()) settle();
      else settle(new Promise((resolve) => resolve(readOperation(what, body, this.#strict))));
    };
    // Bodies of similar length take similar time.
    const name = KINDS[what][Math.clz32(body.length)]!;
    mainThread.run({ of: what, name, kind: name, go, refuse, isGone: () => false });
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
      (this.#worker ??= this.#spawn()).postMessage({
        what,
        body,
        strict: this.#strict,
      } satisfies ReadingRequest);
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
