// The servers' side of the indexer: starts its thread with the first query, so that it costs nothing while unused.
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Log } from "../parts/log.ts";
import { SandboxError } from "../protocol/errors.ts";
import type { Restored } from "./chain/timeline.ts";
import type { FromIndexer, IndexerSettings, ToIndexer } from "./indexer-messages.ts";

/** Heap of the thread: the bounded index, and room for answers. */
const HEAP_MB = 256;
/** Queries in flight. */
const MAX_OPEN = 128;
/** Clients of the hub. */
const MAX_LISTENERS = 64;
/** Characters of a client's texts queued for the thread: queries queue behind them. */
const MAX_UNHEARD = 64 * 1024;
/** Milliseconds between pings, and how many may stay unanswered. */
const PING_MS = 5_000;
const MAX_UNANSWERED = 6;
/** Blocks to skip because they crashed the thread. */
const MAX_SKIPPED = 64;

export interface IndexerOptions {
  /** Folder with the bundle `indexer-worker.cjs`. */
  readonly directory: string;
  readonly layer1Endpoint: () => string;
  readonly maxBlocks: number;
  readonly log: Log;
}

export interface IndexerAnswer {
  readonly status: number;
  /** JSON or empty; bytes for a long one. */
  readonly body: string | Buffer;
}

/** A hub client, for the owner of its connection. */
export interface HubClient {
  hear(text: string): void;
  leave(): void;
}

interface Listener {
  readonly send: (text: string) => void;
  readonly end: () => void;
  /** Stops reading from the client until the returned function is called. */
  readonly hold: () => () => void;
}

/** A client with its backlog. */
interface Subscriber extends Listener {
  /** Characters that the thread has not processed yet. */
  waiting: number;
  hasSpoken: boolean;
  goOn: (() => void) | undefined;
}

interface Open {
  readonly resolve: (answer: IndexerAnswer) => void;
  readonly reject: (error: Error) => void;
}

export class Indexer {
  readonly #options: IndexerOptions;
  readonly #open = new Map<number, Open>();
  readonly #listeners = new Map<number, Subscriber>();
  readonly #restored: Restored[] = [];
  /** Levels of blocks that crashed the thread. */
  readonly #skipped = new Set<number>();
  #worker: Worker | undefined;
  #unanswered = 0;
  #lastId = 0;
  #isStopped = false;

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /**
   * @param url path and query, from the first segment on, such as `head`
   * @throws SandboxError SERVER_BUSY, SHUTTING_DOWN
   */
  ask(url: string): Promise<IndexerAnswer> {
    if (this.#isStopped) throw new SandboxError("SHUTTING_DOWN", {});
    if (this.#open.size >= MAX_OPEN) throw busy("questions about the chain's history");
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#tell({ kind: "ask", id, url });
    });
  }

  /**
   * Adds a client of the subscription hub. Above the limit it evicts one that has not sent anything, or else the oldest.
   * @throws SandboxError SHUTTING_DOWN
   */
  listen(listener: Listener): HubClient {
    if (this.#isStopped) throw new SandboxError("SHUTTING_DOWN", {});
    if (this.#listeners.size >= MAX_LISTENERS) this.#makeRoom();
    const id = ++this.#lastId;
    const subscriber: Subscriber = { ...listener, waiting: 0, hasSpoken: false, goOn: undefined };
    this.#listeners.set(id, subscriber);
    return {
      hear: (text) => {
        if (!this.#listeners.has(id)) return;
        subscriber.hasSpoken = true;
        subscriber.waiting += text.length;
        if (subscriber.waiting > MAX_UNHEARD) subscriber.goOn ??= subscriber.hold();
        this.#tell({ kind: "hub-text", id, text });
      },
      leave: () => this.#forget(id),
    };
  }

  #makeRoom(): void {
    const all = [...this.#listeners];
    const [id, { end }] = all.find(([, { hasSpoken }]) => !hasSpoken) ?? all[0]!;
    this.#forget(id);
    end();
  }

  #forget(id: number): void {
    if (this.#listeners.delete(id)) this.#worker?.postMessage({ kind: "hub-left", id } satisfies ToIndexer);
  }

  #heard(id: number, length: number): void {
    const subscriber = this.#listeners.get(id);
    if (subscriber === undefined) return;
    subscriber.waiting -= length;
    if (subscriber.waiting > MAX_UNHEARD / 2) return;
    subscriber.goOn?.();
    subscriber.goOn = undefined;
  }

  /** Reports a restored snapshot. */
  restored(restored: Restored): void {
    this.#restored.push(restored);
    this.#worker?.postMessage({ kind: "restored", restored } satisfies ToIndexer);
  }

  /** Starts following now, so that blocks before the first query are not missed. */
  start(): void {
    this.#worker ??= this.#spawn();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#worker?.terminate();
  }

  /**
   * Terminates a thread that answers no pings, which no query can prevent; the next query starts a new one. Counts pings
   * rather than time, since the whole process may have been suspended.
   */
  #watch(worker: Worker): void {
    if (this.#unanswered++ < MAX_UNANSWERED) return worker.postMessage({ kind: "ping" } satisfies ToIndexer);
    this.#options.log.warn({}, "the indexer does not respond and is restarted");
    void worker.terminate();
  }

  #tell(message: ToIndexer): void {
    (this.#worker ??= this.#spawn()).postMessage(message);
  }

  #spawn(): Worker {
    const { directory, layer1Endpoint, maxBlocks, log } = this.#options;
    const reading = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const worker = new Worker(join(directory, "indexer-worker.cjs"), {
      workerData: {
        endpoint: layer1Endpoint(),
        maxBlocks,
        restored: this.#restored,
        skipped: [...this.#skipped],
        reading,
      } satisfies IndexerSettings,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16 },
    });
    worker.unref();
    this.#unanswered = 0;
    const watch = setInterval(() => this.#watch(worker), PING_MS).unref();
    worker.on("message", (message: FromIndexer) => this.#hear(message));
    worker.on("error", (error: Error) =>
      log.error({ reason: error.message }, "the indexer failed and is restarted"),
    );
    worker.on("exit", () => {
      clearInterval(watch);
      if (this.#worker === worker) this.#worker = undefined;
      if (!this.#isStopped) this.#skip(Atomics.load(new Int32Array(reading), 0));
      for (const { end } of this.#listeners.values()) end();
      for (const [id, { reject }] of this.#open) {
        this.#open.delete(id);
        reject(
          this.#isStopped
            ? new SandboxError("SHUTTING_DOWN", {})
            : busy("the chain's history, which is read anew"),
        );
      }
    });
    return worker;
  }

  /** Skips a block from now on. @param level 0 when the thread died without reading one */
  #skip(level: number): void {
    if (level === 0 || this.#skipped.size >= MAX_SKIPPED) return;
    this.#skipped.add(level);
    this.#options.log.error({ level }, "this block crashed the indexer; its operations are skipped");
  }

  #hear(message: FromIndexer): void {
    this.#unanswered = 0;
    if (message.kind === "alive") return;
    if (message.kind === "hub-flush")
      return this.#worker?.postMessage({ kind: "hub-flushed" } satisfies ToIndexer);
    if (message.kind === "log") return this.#options.log[message.level]({ part: "indexer" }, message.message);
    if (message.kind === "hub-text") return this.#listeners.get(message.id)?.send(message.text);
    if (message.kind === "hub-heard") return this.#heard(message.id, message.length);
    if (message.kind === "hub-end") return this.#listeners.get(message.id)?.end();
    const { id, status, body } = message;
    this.#worker?.postMessage({ kind: "delivered", id } satisfies ToIndexer);
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    open.resolve({ status, body: typeof body === "string" ? body : Buffer.from(body.buffer) });
  }
}

const busy = (what: string): SandboxError => new SandboxError("SERVER_BUSY", { what });
