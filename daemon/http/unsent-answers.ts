// Bounds the unread bytes of large answers of one server: a client that asks for much and reads nothing must not make
// the sandbox buffer it all.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { SandboxError } from "../protocol/errors.ts";
import { onResponseEnd } from "./response-end.ts";

/** Answers up to this size are not counted. */
export const SMALL_ANSWER = 64 * 1024;
/** Bytes of all larger ones together. A single answer may exceed it. */
export const MAX_UNSENT_BYTES = 32 * 1024 * 1024;
/** Time in which a reader must read a large answer. */
const PATIENCE_MS = 60_000;
/** The same, while others wait for room. */
const HURRIED_MS = 5_000;
/** Answers that may wait for room, and for how long. */
const MAX_WAITING = 256;
const WAIT_MS = 10_000;

interface Unsent {
  readonly response: ServerResponse;
  readonly length: number;
  readonly since: number;
}

interface Waiting {
  readonly response: ServerResponse;
  readonly length: number;
  /** @param isAdmitted false when no room became free in time */
  readonly go: (isAdmitted: boolean) => void;
  readonly timers: readonly NodeJS.Timeout[];
}

declare module "fastify" {
  interface FastifyInstance {
    readonly unsent: UnsentAnswers;
  }
}

/** Error for an answer that finds no room. */
export const tooManyUnsent = (): SandboxError => new SandboxError("SERVER_BUSY", { what: "unread answers" });

/** Counts the large answers of a server. Raw responses, which bypass fastify, call `server.unsent` themselves. */
export function limitAnswers(server: FastifyInstance): void {
  server.decorate("unsent", new UnsentAnswers(server.isOwner));
  server.addHook("onSend", (_request, reply, payload, done) => {
    const length = typeof payload === "string" || Buffer.isBuffer(payload) ? payload.length : 0;
    if (server.unsent.admit(reply.raw, length)) done();
    else done(tooManyUnsent());
  });
}

export class UnsentAnswers {
  readonly #isOwner: (request: IncomingMessage) => boolean;
  #bytes = 0;
  /** Oldest first. */
  readonly #unsent = new Set<Unsent>();
  readonly #waiting = new Set<Waiting>();

  /** @param isOwner whether a request is the owner's, whose answers are not bounded */
  constructor(isOwner: (request: IncomingMessage) => boolean) {
    this.#isOwner = isOwner;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts an answer until it is sent. @returns false when there are too many unsent bytes */
  admit(response: ServerResponse, length: number): boolean {
    if (length <= SMALL_ANSWER) return true;
    // It would wait behind another answer on its connection, which may never be read.
    if (response.socket === null) return false;
    if (this.#isOwner(response.req)) return true;
    if (!this.#hasRoom(length)) this.#cutSlowReaders(length);
    if (!this.#hasRoom(length)) return false;
    const unsent = { response, length, since: performance.now() };
    this.#unsent.add(unsent);
    this.#bytes += length;
    const tooSlow = setTimeout(() => this.#cut(unsent), PATIENCE_MS);
    tooSlow.unref();
    onResponseEnd(response, () => {
      clearTimeout(tooSlow);
      this.#free(unsent);
      this.#next();
    });
    return true;
  }

  #hasRoom(length: number): boolean {
    return this.#bytes === 0 || this.#bytes + length <= MAX_UNSENT_BYTES;
  }

  #cutSlowReaders(length: number): void {
    const hurriedSince = performance.now() - HURRIED_MS;
    for (const unsent of this.#unsent) {
      if (this.#hasRoom(length) || unsent.since > hurriedSince) return;
      this.#cut(unsent);
    }
  }

  /** Frees the room at once, not only when the connection closes. */
  #cut(unsent: Unsent): void {
    this.#free(unsent);
    unsent.response.req.socket.destroy();
  }

  #free(unsent: Unsent): void {
    if (this.#unsent.delete(unsent)) this.#bytes -= unsent.length;
  }

  /**
   * As `admit`, for an answer that is in memory anyway: waits a while for room.
   * @param go called once, unless the reader leaves first
   */
  whenAdmitted(response: ServerResponse, length: number, go: (isAdmitted: boolean) => void): void {
    const isFirst = this.#waiting.size === 0 || length <= SMALL_ANSWER;
    if (isFirst && this.admit(response, length)) return go(true);
    if (response.socket === null || this.#waiting.size >= MAX_WAITING) return go(false);
    const timers = [
      setTimeout(() => this.#next(), HURRIED_MS), // by then, all readers of now count as slow
      setTimeout(() => {
        this.#waiting.delete(waiting);
        go(false);
      }, WAIT_MS),
    ];
    const waiting: Waiting = { response, length, go, timers };
    this.#waiting.add(waiting);
    onResponseEnd(response, () => this.#forget(waiting));
  }

  #forget(waiting: Waiting): void {
    for (const timer of waiting.timers) clearTimeout(timer);
    this.#waiting.delete(waiting);
  }

  #next(): void {
    for (const waiting of this.#waiting) {
      if (waiting.response.req.socket.destroyed) {
        this.#forget(waiting); // its reader has left; the close event is still to come
        continue;
      }
      if (!this.admit(waiting.response, waiting.length)) return;
      this.#forget(waiting);
      waiting.go(true);
    }
  }
}
