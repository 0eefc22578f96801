// Keeps requests whose answers take long to make from keeping the others waiting. Which those are shows when they are
// made: from then on a path's requests are answered one in each turn of the event loop, and all others come in between.
import type { FastifyInstance } from "fastify";
import { SandboxError } from "../protocol/errors.ts";
import { onResponseEnd } from "./response-end.ts";

/** Milliseconds of the thread from which an answer takes long. */
const LONG_MS = 20;
/** Requests for such answers that may wait. */
const MAX_WAITING = 256;
/** Paths that are remembered, the latest, and characters of each. */
const MAX_PATHS = 1_000;
const MAX_PATH = 300;

export interface SlowPathsOptions {
  /** Milliseconds of a clock that only goes on. */
  readonly now: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (run: () => void) => void;
}

const REAL: SlowPathsOptions = { now: () => performance.now(), nextTurn: (run) => void setImmediate(run) };

/** Adds this to a server, for what is read; whatever changes something has queues of its own. */
export function takeTurnsOnSlowPaths(
  server: FastifyInstance,
  { now, nextTurn }: SlowPathsOptions = REAL,
): void {
  const slow = new Set<string>();
  const waiting: { readonly isGone: () => boolean; readonly go: () => void }[] = [];
  let isScheduled = false;

  const turn = (): void => {
    isScheduled = false;
    const next = waiting.shift();
    if (next === undefined) return;
    schedule();
    if (next.isGone()) turn();
    else next.go();
  };
  const schedule = (): void => {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    nextTurn(turn);
  };

  server.addHook("preHandler", (request, reply, done) => {
    if (request.method !== "GET" && request.method !== "HEAD") return done();
    const path = request.url.split("?", 1)[0]!.slice(0, MAX_PATH);
    const go = (): void => {
      const begun = now();
      done(); // makes the answer, up to where it waits for something itself
      slow.delete(path);
      if (now() - begun < LONG_MS) return;
      slow.add(path);
      if (slow.size > MAX_PATHS) for (const oldest of slow) return void slow.delete(oldest);
    };
    if (!slow.has(path)) return go();
    if (waiting.length >= MAX_WAITING)
      return done(new SandboxError("SERVER_BUSY", { what: "answers that take long" }));
    let isGone = false;
    onResponseEnd(reply.raw, () => (isGone = true));
    waiting.push({ isGone: () => isGone, go });
    schedule();
  });
}
