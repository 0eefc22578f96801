// The indexer as the servers see it: a thread that begins with the first question, and ends with the sandbox. Unused it
// costs nothing.
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Log } from "../parts/log.ts";
import { SandboxError } from "../protocol/errors.ts";
import type { Restored } from "./chain/timeline.ts";
import type { FromIndexer, IndexerSettings, ToIndexer } from "./indexer-messages.ts";

/** Most of what it keeps, of blocks that are bounded themselves: the rest is for answers. */
const HEAP_MB = 384;
/** Questions under way. */
const MAX_OPEN = 128;
/** Clients of the hub at once. */
const MAX_LISTENERS = 64;
/** Characters of a client's texts that may wait for the thread: questions stand behind them. */
const MAX_UNHEARD = 64 * 1024;
/** Time for an answer: the first one waits until the kept blocks are read. */
const PATIENCE_MS = 30_000;

export interface IndexerOptions {
  /** Folder of the bundle `indexer-worker.cjs`. */
  readonly directory: string;
  readonly layer1Endpoint: () => string;
  readonly maxBlocks: number;
  readonly log: Log;
}

export interface IndexerAnswer {
  readonly status: number;
  /** JSON, or empty. */
  readonly body: string;
}

/** A client of the hub, as whoever has its connection sees it. */
export interface HubClient {
  hear(text: string): void;
  leave(): void;
}

interface Listener {
  readonly send: (text: string) => void;
  readonly end: () => void;
  /** Takes nothing more from the client until the returned function is called. */
  readonly hold: () => () => void;
}

/** A client and what it has sent. */
interface Subscriber extends Listener {
  /** Characters that the thread has not taken yet. */
  waiting: number;
  hasSpoken: boolean;
  goOn: (() => void) | undefined;
}

interface Open {
  readonly resolve: (answer: IndexerAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

export class Indexer {
  readonly #options: IndexerOptions;
  readonly #open = new Map<number, Open>();
  readonly #listeners = new Map<number, Subscriber>();
  readonly #restored: Restored[] = [];
  #worker: Worker | undefined;
  #lastId = 0;
  #isStopped = false;

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /**
   * @param url path and query, from the first word on, such as `head`
   * @throws SandboxError SERVER_BUSY, SHUTTING_DOWN
   */
  ask(url: string): Promise<IndexerAnswer> {
    if (this.#isStopped) throw new SandboxError("SHUTTING_DOWN", {});
    if (this.#open.size >= MAX_OPEN) throw busy("questions about the chain's history");
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#end(), PATIENCE_MS);
      this.#open.set(id, { resolve, reject, timer });
      this.#tell({ kind: "ask", id, url });
    });
  }

  /**
   * Adds a client of the subscription hub. When there are too many, one that has said nothing yet, else the oldest, gives
   * way. @throws SandboxError SHUTTING_DOWN
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

  /** A snapshot of the sandbox was restored. */
  restored(restored: Restored): void {
    this.#restored.push(restored);
    this.#worker?.postMessage({ kind: "restored", restored } satisfies ToIndexer);
  }

  /** Begins following at once, for those who do not want to lose what happens before the first question. */
  start(): void {
    this.#worker ??= this.#spawn();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#worker?.terminate();
  }

  /** Ends a thread that does not answer any more; the next question begins a new one. */
  #end(): void {
    this.#options.log.warn({}, "the indexer did not answer in time and begins anew");
    void this.#worker?.terminate();
  }

  #tell(message: ToIndexer): void {
    (this.#worker ??= this.#spawn()).postMessage(message);
  }

  #spawn(): Worker {
    const { directory, layer1Endpoint, maxBlocks, log } = this.#options;
    const worker = new Worker(join(directory, "indexer-worker.cjs"), {
      workerData: {
        endpoint: layer1Endpoint(),
        maxBlocks,
        restored: this.#restored,
      } satisfies IndexerSettings,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16 },
    });
    worker.unref();
    worker.on("message", (message: FromIndexer) => this.#hear(message));
    worker.on("error", (error: Error) =>
      log.error({ reason: error.message }, "the indexer failed and begins anew"),
    );
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const { end } of this.#listeners.values()) end();
      for (const [id, { reject, timer }] of this.#open) {
        clearTimeout(timer);
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

  #hear(message: FromIndexer): void {
    if (message.kind === "log") return this.#options.log[message.level]({ part: "indexer" }, message.message);
    if (message.kind === "hub-text") return this.#listeners.get(message.id)?.send(message.text);
    if (message.kind === "hub-heard") return this.#heard(message.id, message.length);
    if (message.kind === "hub-end") return this.#listeners.get(message.id)?.end();
    const open = this.#open.get(message.id);
    if (open === undefined) return;
    this.#open.delete(message.id);
    clearTimeout(open.timer);
    open.resolve({ status: message.status, body: message.body });
  }
}

const busy = (what: string): SandboxError => new SandboxError("SERVER_BUSY", { what });
