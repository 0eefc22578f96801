// Shares the servers' thread fairly: known quick work is done at once; the rest gets a few milliseconds of each turn of
// the event loop, kind by kind, so that others come in between.
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
  onRequestHookHandler,
  preHandlerHookHandler,
} from "fastify";
import { afterABreath } from "../parts/breath.ts";
import { SandboxError } from "../protocol/errors.ts";
import { isGet, mayHaveBodies } from "./may-have-body.ts";
import { isOver } from "./response-end.ts";

/** Milliseconds from which work counts as long. */
const LONG_MS = 3;
/** Milliseconds per turn of the event loop for long or new work. One piece may exceed it. */
const TURN_MS = 10;
/** Queued work of one kind, and of all. A server has fewer connections than this, and most clients use one each. */
const MAX_OF_KIND = 768;
const MAX_WAITING = 2_048;
/**
 * Milliseconds that work may wait. A limit of time, for a count says nothing: hundreds of quick answers fit into one
 * turn, while twenty long ones are more than a client waits for.
 */
const MAX_WAIT_MS = 2_000;
/**
 * Long work adds this to the score of its name and kind, up to twice the value; above this score they count as long.
 * Quick work subtracts one: a pause of the machine proves nothing, and quick work in between must not hide the long.
 */
const LONG_SCORE = 50;
/** Names and kinds whose score is remembered. */
const MAX_REMEMBERED = 2_000;
/** Characters of a URL that distinguish it. */
const MAX_URL = 300;

export interface SharedThreadOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (run: () => void) => void;
}

const REAL: SharedThreadOptions = { now: () => performance.now(), nextTurn: afterABreath };

export interface Work {
  /** Work of a new name is expected to take as long as the last work of its kind. */
  readonly kind: string;
  /** Work of the same name takes about the same time. */
  readonly name: string;
  /** Where its name is known: the same name elsewhere is other work. */
  readonly of: string;
  readonly go: () => void;
  /** Called instead of `go` when too much of its kind is queued or it waited too long. */
  readonly refuse: () => void;
  /** Whether nobody waits for the result any more. */
  readonly isGone: () => boolean;
}

interface WaitingWork {
  readonly work: Work;
  readonly since: number;
}

/** Queued work, by kind and by name. `take` goes round the kinds, and within a kind round the names. */
class Waiting {
  readonly #kinds = new Map<string, { count: number; readonly names: Map<string, WaitingWork[]> }>();
  size = 0;

  /** @returns false when the queue is full */
  add(work: Work, since: number): boolean {
    const ofKind = this.#kinds.get(work.kind) ?? { count: 0, names: new Map<string, WaitingWork[]>() };
    if (ofKind.count >= MAX_OF_KIND || this.size >= MAX_WAITING) return false;
    const queue = ofKind.names.get(work.name) ?? [];
    queue.push({ work, since });
    ofKind.names.set(work.name, queue);
    ofKind.count++;
    this.#kinds.set(work.kind, ofKind);
    this.size++;
    return true;
  }

  take(): WaitingWork | undefined {
    for (const [kind, ofKind] of this.#kinds) {
      this.#kinds.delete(kind);
      for (const [name, queue] of ofKind.names) {
        ofKind.names.delete(name);
        const taken = queue.shift();
        if (queue.length > 0) ofKind.names.set(name, queue);
        ofKind.count--;
        if (ofKind.count > 0) this.#kinds.set(kind, ofKind);
        this.size--;
        return taken;
      }
    }
    return undefined;
  }
}

class Scores {
  readonly #scores = new Map<string, number>();
  readonly #ofUnknown: number;

  constructor(ofUnknown: number) {
    this.#ofUnknown = ofUnknown;
  }

  isLong(key: string): boolean {
    const score = this.#scores.size === 0 ? undefined : this.#scores.get(key);
    return (score ?? this.#ofUnknown) > LONG_SCORE;
  }

  add(key: string, tookLong: boolean): void {
    if (!tookLong && this.#scores.size === 0 && this.#ofUnknown === 0) return;
    const before = this.#scores.get(key);
    const score = tookLong
      ? Math.min(2 * LONG_SCORE, (before ?? this.#ofUnknown) + LONG_SCORE)
      : Math.max(0, (before ?? 0) - 1);
    if (score === (before ?? this.#ofUnknown)) return;
    // Most names are quick, like unknown ones: what is not remembered costs little to look up.
    if (score === 0 && this.#ofUnknown === 0) return void this.#scores.delete(key);
    this.#scores.set(key, score);
    if (this.#scores.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#scores.keys()) return void this.#scores.delete(oldest);
  }
}

export class SharedThread {
  readonly #options: SharedThreadOptions;
  /** An unknown kind counts as long until its first work ran; an unknown name has the score of its kind. */
  readonly #kinds = new Scores(2 * LONG_SCORE);
  readonly #names = new Map<string, Scores>();
  readonly #waiting = new Waiting();
  #usedMs = 0;
  #isScheduled = false;

  constructor(options: SharedThreadOptions = REAL) {
    this.#options = options;
  }

  /** Does work now; in a later turn when it is long or new and the turn is used up; or refuses it. */
  run(work: Work): void {
    const isQuick = !this.#kinds.isLong(work.kind) && !this.#namesOf(work.of).isLong(work.name);
    if (isQuick || (this.#waiting.size === 0 && this.#usedMs < TURN_MS)) return this.#do(work);
    if (!this.#waiting.add(work, this.#options.now())) work.refuse();
    this.#schedule();
  }

  #namesOf(of: string): Scores {
    let names = this.#names.get(of);
    if (names === undefined) this.#names.set(of, (names = new Scores(0)));
    return names;
  }

  #do({ go, name, kind, of }: Work): void {
    const { now } = this.#options;
    const begun = now();
    try {
      go(); // up to its first await
    } finally {
      const ms = now() - begun;
      this.#kinds.add(kind, ms >= LONG_MS);
      this.#namesOf(of).add(name, ms >= LONG_MS);
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
      while (this.#usedMs < TURN_MS) {
        const taken = this.#waiting.take();
        if (taken === undefined) return;
        const { work, since } = taken;
        if (work.isGone()) continue;
        if (this.#options.now() - since > MAX_WAIT_MS) work.refuse();
        else this.#do(work);
      }
    } finally {
      if (this.#waiting.size > 0) this.#schedule();
    }
  }
}

/** All servers of the process run on one thread. */
export const mainThread = new SharedThread();

/** Paths that are answered at once, whatever is queued: they show that the sandbox is alive. */
const PROMPT = new Set(["/health", "/health/ready", "/owner/proof", "/mode", "/version"]);

/**
 * Makes a server's answers to read requests take turns; requests that change something have queues of their own.
 * Applies to the routes that are registered from here on.
 * @param of name of the server: the same path on two servers is different work
 * @param isRead whether a request reads and has no queue of its own
 */
export function takeTurns(
  server: FastifyInstance,
  of: string,
  isRead: (request: FastifyRequest) => boolean = isGet,
  thread = mainThread,
): void {
  server.addHook("onRoute", (route) => {
    const kindOf = kindsOf(of, route.url);
    const turn = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
      const url = request.url.length > MAX_URL ? request.url.slice(0, MAX_URL) : request.url;
      const query = url.indexOf("?");
      const path = query < 0 ? url : url.slice(0, query);
      if (PROMPT.has(path)) return done();
      const refuse = (): void => done(new SandboxError("SERVER_BUSY", { what: "slow answers" }));
      thread.run({ of, name: url, kind: kindOf(path), go: done, refuse, isGone: () => isOver(reply.raw) });
    };
    // What has no body takes its turn in the first hook, and other kinds of hooks cost it nothing.
    const first: onRequestHookHandler = (request, reply, done) => {
      if (isGet(request) && isRead(request)) turn(request, reply, done);
      else done();
    };
    route.onRequest = [first, route.onRequest ?? []].flat();
    if (!mayHaveBodies(route)) return;
    const afterBody: preHandlerHookHandler = (request, reply, done) => {
      if (!isGet(request) && isRead(request)) turn(request, reply, done);
      else done();
    };
    route.preHandler = [route.preHandler ?? [], afterBody].flat();
  });
}

/** The kind of a path: its route; under a catch-all route, the path with its variable segments masked. */
function kindsOf(of: string, route: string): (path: string) => string {
  const kind = `${of}${route}`;
  if (!route.endsWith("*")) return () => kind;
  return (path) => `${of}${path.replaceAll(/\/(?:\d+|head[~-]\d+|[^/]{20,})(?=\/|$)/g, "/*")}`;
}
