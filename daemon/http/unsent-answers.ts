// Bounds the unread bytes of large answers of one server: a client that asks for much and reads nothing must not make
// the sandbox buffer it all.
import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { SandboxError } from "../protocol/errors.ts";
import { onResponseEnd } from "./response-end.ts";

/** Answers up to this size are not counted. */
export const SMALL_ANSWER = 64 * 1024;
/** Bytes of all larger ones together. A single answer may exceed it. */
export const MAX_UNSENT_BYTES = 32 * 1024 * 1024;
/** Time in which a reader must read a large answer. */
const PATIENCE_MS = 60_000;
/** Answers that may wait for room, and for how long. */
const MAX_WAITING = 256;
const WAIT_MS = 10_000;

interface Waiting {
  readonly response: ServerResponse;
  readonly length: number;
  /** @param isAdmitted false when no room became free in time */
  readonly go: (isAdmitted: boolean) => void;
  readonly timer: NodeJS.Timeout;
}

declare module "fastify" {
  interface FastifyInstance {
    readonly unsent: UnsentAnswers;
  }
}

/** Error for an answer that finds no room. */
export const tooManyUnsent = (): SandboxError =>
  new SandboxError("SERVER_BUSY", { what: "answers that nobody reads" });

/** Counts the large answers of a server. Raw responses, which bypass fastify, call `server.unsent` themselves. */
export function limitAnswers(server: FastifyInstance): void {
  server.decorate("unsent", new UnsentAnswers());
  server.addHook("onSend", (_request, reply, payload, done) => {
    const length = typeof payload === "string" || Buffer.isBuffer(payload) ? payload.length : 0;
    if (server.unsent.admit(reply.raw, length)) done();
    else done(tooManyUnsent());
  });
}

export class UnsentAnswers {
  #bytes = 0;
  readonly #waiting = new Set<Waiting>();

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts an answer until it is sent. @returns false when there are too many unsent bytes */
  admit(response: ServerResponse, length: number): boolean {
    if (length <= SMALL_ANSWER) return true;
    // It would wait behind another answer on its connection, which may never be read.
    if (response.socket === null) return false;
    if (this.#bytes > 0 && this.#bytes + length > MAX_UNSENT_BYTES) return false;
    this.#bytes += length;
    const tooSlow = setTimeout(() => response.req.socket.destroy(), PATIENCE_MS);
    tooSlow.unref();
    onResponseEnd(response, () => {
      clearTimeout(tooSlow);
      this.#bytes -= length;
      this.#next();
    });
    return true;
  }

  /**
   * As `admit`, for an answer that is in memory anyway: waits a while for room.
   * @param go called once, unless the reader leaves first
   */
  whenAdmitted(response: ServerResponse, length: number, go: (isAdmitted: boolean) => void): void {
    const isFirst = this.#waiting.size === 0 || length <= SMALL_ANSWER;
    if (isFirst && this.admit(response, length)) return go(true);
    if (response.socket === null || this.#waiting.size >= MAX_WAITING) return go(false);
    const timer = setTimeout(() => {
      this.#waiting.delete(waiting);
      go(false);
    }, WAIT_MS);
    const waiting: Waiting = { response, length, go, timer };
    this.#waiting.add(waiting);
    onResponseEnd(response, () => this.#forget(waiting));
  }

  #forget(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    this.#waiting.delete(waiting);
  }

  #next(): void {
    for (const waiting of this.#waiting) {
      if (!this.admit(waiting.response, waiting.length)) return;
      this.#forget(waiting);
      waiting.go(true);
    }
  }
}
