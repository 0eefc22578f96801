// The connections of one server: a limited number, each with a queue of its requests. All requests pass here first, so
// that those refused later count as well.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { reportArrival } from "../parts/arrivals.ts";
import { joinPieces } from "./body-pieces.ts";
import { readInTurns, runInTurn } from "./incoming-bytes.ts";
import { upgradedSockets } from "./web-socket.ts";

/** Connections of one server. Three servers together stay below the usual limit of open files per process. */
export const MAX_CONNECTIONS = 1_024;
/** Pipelined requests (those behind another) of all connections; above it the longest queue is closed. */
export const MAX_PIPELINED_IN_ALL = 8_192;
/**
 * Unanswered requests at which a connection is no longer read: FULL, or FEW while more than MANY_IN_ALL are pipelined
 * in all. Never one: the body of that one request may be what is still to be read.
 */
const FULL = 8;
const FEW = 2;
const MANY_IN_ALL = 1_024;

interface Request {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly go: () => void;
}

interface Connection {
  readonly socket: Socket;
  /** Unanswered requests; the first one is being answered. */
  readonly queue: Request[];
  /** Resumes reading after the queue was full. */
  readonly resume: () => void;
  /** Clock milliseconds at which it became idle or its first request became the current one. */
  since: number;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTP server with a bounded number of connections, which queues the requests of each. */
export function queueingServer(handler: Handler, options: ServerOptions): Server {
  const connections = new Connections();
  const server = createServer(
    // The guard refuses a request without Host; Node's own refusal would bypass the queue.
    { ...options, requireHostHeader: false },
    (request, response) => connections.enqueue(request, response, () => handler(request, response)),
  );
  // By event: a second listener of the server hands over its connections this way, uncounted by Node.
  server.on("connection", (socket: Socket) => connections.add(socket));
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) =>
    connections.enqueue(request, response, () => void response.writeHead(417).end()),
  );
  return server;
}

class Connections {
  readonly #open = new Map<Socket, Connection>();
  #pipelined = 0;

  get #full(): number {
    return this.#pipelined > MANY_IN_ALL ? FEW : FULL;
  }

  add(socket: Socket): void {
    reportArrival();
    if (this.#open.size >= MAX_CONNECTIONS) {
      const victim = this.#evictable();
      if (victim === undefined) return void socket.destroy();
      this.#close(victim);
    }
    const queue: Request[] = [];
    // When input ends, Node drops unanswered requests: so the end waits until none is behind another.
    const resume = readInTurns(socket, (packet) => queue.length >= (packet === null ? FEW : this.#full));
    this.#open.set(socket, { socket, queue, resume, since: performance.now() });
    socket.once("close", () => this.#forget(this.#open.get(socket)));
  }

  /**
   * Runs a request once those before it on its connection have been answered. Its answer could not be sent earlier, so
   * it is not built earlier: answers that nobody reads would pile up.
   */
  enqueue(request: IncomingMessage, response: ServerResponse, go: () => void): void {
    const connection = this.#open.get(request.socket);
    if (connection === undefined || request.socket.destroyed) return; // it was evicted
    joinPieces(request, () => this.#close(connection));
    const { queue, socket } = connection;
    const own: Request = { request, response, go };
    const isBehind = queue.push(own) > 1;
    if (isBehind) this.#pipelined++;
    else connection.since = performance.now();
    // When the connection closes, its queue is forgotten as a whole: one listener of a request instead of two.
    response.on("close", () => {
      const at = queue.indexOf(own);
      if (at < 0) return;
      if (queue.length > 1) this.#pipelined--;
      queue.splice(at, 1);
      if (at > 0) return;
      connection.since = performance.now();
      if (socket.destroyed) return;
      connection.resume();
      const [next] = queue;
      if (next) runInTurn(() => queue[0] === next && !socket.destroyed && next.go());
    });
    if (this.#pipelined > MAX_PIPELINED_IN_ALL) this.#close(this.#longestQueue());
    if (!isBehind) go();
  }

  /** Closes a connection. Its place is free at once, not only when the close event arrives. */
  #close(connection: Connection | undefined): void {
    this.#forget(connection);
    connection?.socket.destroy();
  }

  #forget(connection: Connection | undefined): void {
    if (connection === undefined) return;
    const { socket, queue } = connection;
    this.#open.delete(socket);
    this.#pipelined -= Math.max(0, queue.length - 1);
    queue.length = 0;
  }

  /** The connection to close in favour of a new one; undefined when all are event streams. */
  #evictable(): Connection | undefined {
    let chosen: Connection | undefined;
    for (const connection of this.#open.values()) {
      const rank = rankOf(connection);
      if (rank === Infinity) continue;
      if (chosen === undefined || rank < rankOf(chosen)) chosen = connection;
      else if (rank === rankOf(chosen) && connection.since < chosen.since) chosen = connection;
    }
    return chosen;
  }

  #longestQueue(): Connection | undefined {
    let longest: Connection | undefined;
    for (const each of this.#open.values())
      if (longest === undefined || each.queue.length > longest.queue.length) longest = each;
    return longest;
  }
}

/** The lowest rank is evicted first; among equals, the one that has been so for longest. */
function rankOf({ queue: [first], socket }: Connection): number {
  if (upgradedSockets.has(socket)) return Infinity; // a WebSocket: those have a limit of their own
  if (first === undefined) return 0; // idle: the client reconnects when it has a request
  const { request, response } = first;
  if (response.writableEnded) return 1; // nobody reads the answer
  if (!request.complete) return 2; // its body is incomplete
  if (!response.headersSent) return 3; // waits for its answer
  return Infinity; // an event stream: those have a limit of their own
}
