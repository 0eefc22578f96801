// The thread of the servers, shared fairly: whatever took long the last time waits for its turn and gets a few
// milliseconds of each turn of the event loop, so that all that is quick comes in between.
import type { FastifyInstance } from "fastify";
import { SandboxError } from "../protocol/errors.ts";
import { onResponseEnd } from "./response-end.ts";

/** Milliseconds from which work takes long. */
const LONG_MS = 3;
/** Milliseconds of one turn of the event loop for work that is long or new. One piece may take more. */
const TURN_MS = 10;
/** Pieces of work of each kind that may wait. */
const MAX_WAITING = 512;
/** Names of long work that are remembered, the latest, and characters of each. */
const MAX_NAMES = 2_000;
const MAX_NAME = 300;

export interface SharedThreadOptions {
  /** Milliseconds of a clock that only goes on. */
  readonly now: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (run: () => void) => void;
}

const REAL: SharedThreadOptions = { now: () => performance.now(), nextTurn: (run) => void setImmediate(run) };

export interface Work {
  /** Work of one name takes about the same time. */
  readonly name: string;
  /** What is expected of a name that was not long before: what the last work of this kind took. There are few kinds. */
  readonly kind: string;
  readonly go: () => void;
  /** Whether nobody waits for it any more. */
  readonly isGone: () => boolean;
}

export class SharedThread {
  readonly #options: SharedThreadOptions;
  /** Names whose work took long the last time. */
  readonly #longNames = new Set<string>();
  /** Whether the last work of a kind took long. */
  readonly #wasLong = new Map<string, boolean>();
  readonly #fresh: Work[] = [];
  readonly #long: Work[] = [];
  #usedMs = 0;
  #isScheduled = false;

  constructor(options: SharedThreadOptions = REAL) {
    this.#options = options;
  }

  /**
   * Does work now, or in a later turn when it is long or new and there is much of it.
   * @returns false when too much of its kind waits: it is never done then
   */
  run(work: Work): boolean {
    const name = work.name.slice(0, MAX_NAME);
    const wasLong = this.#longNames.has(name) || this.#wasLong.get(work.kind);
    if (wasLong === false) {
      this.#do(name, work);
      return true;
    }
    const queue = wasLong ? this.#long : this.#fresh;
    if (queue.length >= MAX_WAITING) return false;
    if (queue.length === 0 && this.#usedMs < TURN_MS) this.#do(name, work);
    else queue.push({ ...work, name });
    this.#schedule();
    return true;
  }

  #do(name: string, { go, kind }: Work): void {
    const { now } = this.#options;
    const begun = now();
    try {
      go(); // up to where it waits for something itself
    } finally {
      const ms = now() - begun;
      this.#wasLong.set(kind, ms >= LONG_MS);
      this.#longNames.delete(name);
      if (ms >= LONG_MS) {
        if (this.#longNames.size >= MAX_NAMES) this.#longNames.clear();
        this.#longNames.add(name);
      }
      this.#usedMs += ms;
      if (this.#usedMs >= TURN_MS) this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.nextTurn(() => {
      this.#isScheduled = false;
      this.#usedMs = 0;
      this.#turn();
    });
  }

  #turn(): void {
    try {
      for (let isLongs = false; this.#usedMs < TURN_MS; isLongs = !isLongs) {
        const [queue, other] = isLongs ? [this.#long, this.#fresh] : [this.#fresh, this.#long];
        const work = queue.shift() ?? other.shift();
        if (work === undefined) return;
        if (!work.isGone()) this.#do(work.name, work);
      }
    } finally {
      if (this.#fresh.length + this.#long.length > 0) this.#schedule();
    }
  }
}

/** All servers of the process are on one thread. */
export const mainThread = new SharedThread();

/** Lets a server's answers to what is only read take turns; whatever changes something has queues of its own. */
export function takeTurns(server: FastifyInstance, thread = mainThread): void {
  server.addHook("preHandler", (request, reply, done) => {
    if (request.method !== "GET" && request.method !== "HEAD") return done();
    let isGone = false;
    onResponseEnd(reply.raw, () => (isGone = true));
    const { url } = request;
    const query = url.indexOf("?");
    const name = query < 0 ? url : url.slice(0, query);
    const kind = request.routeOptions.url ?? "";
    const isTaken = thread.run({ name, kind, go: done, isGone: () => isGone });
    if (!isTaken) done(new SandboxError("SERVER_BUSY", { what: "answers that take long" }));
  });
}
