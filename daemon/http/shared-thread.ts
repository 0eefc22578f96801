// The thread of the servers, shared fairly: what is known to be quick is done at once, everything else gets a few
// milliseconds of each turn of the event loop, kind by kind, so that others come in between.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { SandboxError } from "../protocol/errors.ts";
import { onResponseEnd } from "./response-end.ts";

/** Milliseconds from which work takes long. */
const LONG_MS = 3;
/** Milliseconds of one turn of the event loop for work that is long or new. One piece may take more. */
const TURN_MS = 10;
/** Pieces of work that may wait: of one name, of one kind, of all. */
const MAX_OF_NAME = 32;
const MAX_OF_KIND = 128;
const MAX_WAITING = 512;
/** Names and kinds whose pace is remembered, the latest, and characters of each. */
const MAX_REMEMBERED = 2_000;
const MAX_LENGTH = 300;

export interface SharedThreadOptions {
  /** Milliseconds of a clock that only goes on. */
  readonly now: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (run: () => void) => void;
}

const REAL: SharedThreadOptions = { now: () => performance.now(), nextTurn: (run) => void setImmediate(run) };

export interface Work {
  /** What is to be expected of a name that is not known to be long is what the last work of its kind took. */
  readonly kind: string;
  /** Work of one name takes about the same time. */
  readonly name: string;
  readonly go: () => void;
  /** Whether nobody waits for it any more. */
  readonly isGone: () => boolean;
}

/** Work that waits, by kind and by name. Each time one of the next kind is taken, and of it one of the next name. */
class Waiting {
  readonly #kinds = new Map<string, Map<string, Work[]>>();
  size = 0;

  /** @returns false when there is too much of it */
  add(work: Work): boolean {
    const names = this.#kinds.get(work.kind) ?? new Map<string, Work[]>();
    const queue = names.get(work.name) ?? [];
    let ofKind = 0;
    for (const each of names.values()) ofKind += each.length;
    if (queue.length >= MAX_OF_NAME || ofKind >= MAX_OF_KIND || this.size >= MAX_WAITING) return false;
    queue.push(work);
    names.set(work.name, queue);
    this.#kinds.set(work.kind, names);
    this.size++;
    return true;
  }

  take(): Work | undefined {
    for (const [kind, names] of this.#kinds) {
      this.#kinds.delete(kind);
      for (const [name, queue] of names) {
        names.delete(name);
        const work = queue.shift();
        if (queue.length > 0) names.set(name, queue);
        if (names.size > 0) this.#kinds.set(kind, names);
        this.size--;
        return work;
      }
    }
    return undefined;
  }
}

export class SharedThread {
  readonly #options: SharedThreadOptions;
  /** How often in succession work of a name or kind took long, up to two: one pause of the machine proves nothing. */
  readonly #long = new Map<string, number>();
  readonly #waiting = new Waiting();
  #usedMs = 0;
  #isScheduled = false;

  constructor(options: SharedThreadOptions = REAL) {
    this.#options = options;
  }

  /**
   * Does work now, or in a later turn when it is long or new and there is much of it.
   * @returns false when too much of its kind waits: it is never done then
   */
  run(asked: Work): boolean {
    const work = { ...asked, name: asked.name.slice(0, MAX_LENGTH), kind: asked.kind.slice(0, MAX_LENGTH) };
    const isQuick = (this.#long.get(work.name) ?? 0) < 2 && (this.#long.get(work.kind) ?? 2) < 2;
    if (isQuick || (this.#waiting.size === 0 && this.#usedMs < TURN_MS)) {
      this.#do(work);
      return true;
    }
    const isTaken = this.#waiting.add(work);
    this.#schedule();
    return isTaken;
  }

  #do({ go, name, kind }: Work): void {
    const { now } = this.#options;
    const begun = now();
    try {
      go(); // up to where it waits for something itself
    } finally {
      const ms = now() - begun;
      const isLong = ms >= LONG_MS;
      // Of a kind that nobody knows the first work tells; a name is what its kind is, until it proves to be longer.
      this.#remember(kind, isLong ? Math.min(2, (this.#long.get(kind) ?? 1) + 1) : 0);
      if (name !== kind) {
        if (isLong) this.#remember(name, Math.min(2, (this.#long.get(name) ?? 0) + 1));
        else this.#long.delete(name);
      }
      this.#usedMs += ms;
      if (this.#usedMs >= TURN_MS) this.#schedule();
    }
  }

  #remember(key: string, times: number): void {
    if (this.#long.get(key) === times) return;
    this.#long.delete(key);
    this.#long.set(key, times);
    if (this.#long.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#long.keys()) return void this.#long.delete(oldest);
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
      while (this.#usedMs < TURN_MS) {
        const work = this.#waiting.take();
        if (work === undefined) return;
        if (!work.isGone()) this.#do(work);
      }
    } finally {
      if (this.#waiting.size > 0) this.#schedule();
    }
  }
}

/** All servers of the process are on one thread. */
export const mainThread = new SharedThread();

/** Paths that are answered at once, whatever waits: how somebody finds out that the sandbox lives. */
const PROMPT = new Set(["/health", "/health/ready", "/owner/proof", "/mode", "/version"]);

/**
 * Lets a server's answers to what is only read take turns; whatever changes something has queues of its own.
 * @param of name of the server: what two servers have under one path are two things
 */
export function takeTurns(server: FastifyInstance, of: string, thread = mainThread): void {
  server.addHook("preHandler", (request, reply, done) => {
    if (request.method !== "GET" && request.method !== "HEAD") return done();
    const { url } = request;
    const query = url.indexOf("?");
    const path = query < 0 ? url : url.slice(0, query);
    if (PROMPT.has(path)) return done();
    let isGone = false;
    onResponseEnd(reply.raw, () => (isGone = true));
    const kind = `${of}${kindOf(request, path)}`;
    const isTaken = thread.run({ name: `${of}${path}`, kind, go: done, isGone: () => isGone });
    if (!isTaken) done(new SandboxError("SERVER_BUSY", { what: "answers that take long" }));
  });
}

/** The route, or the path without what differs from case to case where one route takes all paths. */
function kindOf({ routeOptions: { url = "" } }: FastifyRequest, path: string): string {
  return url.endsWith("*") ? path.replaceAll(/\/(?:\d+|head[~-]\d+|[^/]{20,})(?=\/|$)/g, "/*") : url;
}
