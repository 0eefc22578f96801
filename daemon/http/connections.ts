// The connections of one server: as many as there are places, and on each its requests one after the other. Whatever
// comes in passes here before anything else looks at it, so that what is refused later counts as well.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { gatherBody } from "./body-pieces.ts";
import { readInTurns, whenItsTurnComes } from "./incoming-bytes.ts";
import { onResponseEnd } from "./response-end.ts";

/** Connections of one server. The three together stay below what systems allow a process to have open. */
export const MAX_CONNECTIONS = 1_024;
/** Requests of all connections that are behind another one: from so many on, the longest line is ended. */
export const MAX_PIPELINED_IN_ALL = 8_192;
/**
 * Requests of one connection that are not answered yet, from which on nothing more of it is read; few are enough while
 * many of all connections are behind another one. Never one alone: its own body may be what has to be read.
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
  /** Requests that are not answered; the first one is being answered. */
  readonly line: Request[];
  /** Goes on reading, after the line was full. */
  readonly goOn: () => void;
  /** Milliseconds of the clock since when it has been as it is: without a request, or at its first one. */
  since: number;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTP server whose requests come to the handler in lines, and whose connections are bounded. */
export function serverInLines(handler: Handler, options: ServerOptions): Server {
  const connections = new Connections();
  const server = createServer(
    // The guard refuses a request without Host; Node's own refusal would pass the line.
    { ...options, requireHostHeader: false },
    (request, response) => connections.inLine(request, response, () => handler(request, response)),
  );
  // By event: the second listener of a server hands its connections over the same way, past the count of Node.
  server.on("connection", (socket: Socket) => connections.add(socket));
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) =>
    connections.inLine(request, response, () => void response.writeHead(417).end()),
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
    if (this.#open.size >= MAX_CONNECTIONS) {
      const place = this.#leastMissed();
      if (place === undefined) return void socket.destroy();
      this.#end(place);
    }
    const line: Request[] = [];
    // At the end of what comes in Node gives up requests that are not answered: so it waits for those behind others.
    const goOn = readInTurns(socket, (packet) => line.length >= (packet === null ? FEW : this.#full));
    this.#open.set(socket, { socket, line, goOn, since: performance.now() });
    socket.once("close", () => this.#open.delete(socket));
  }

  /**
   * Lets a request go on when those before it on its connection have been answered. Its answer could not be sent before,
   * so it is not made before either: many that nobody reads would pile up.
   */
  inLine(request: IncomingMessage, response: ServerResponse, go: () => void): void {
    const connection = this.#open.get(request.socket);
    if (connection === undefined || request.socket.destroyed) return; // it has lost its place
    gatherBody(request, () => this.#end(connection));
    const { line, socket } = connection;
    const own: Request = { request, response, go };
    const isBehind = line.push(own) > 1;
    if (isBehind) this.#pipelined++;
    else connection.since = performance.now();
    onResponseEnd(response, () => {
      const at = line.indexOf(own);
      if (at < 0) return;
      if (line.length > 1) this.#pipelined--;
      line.splice(at, 1);
      if (at > 0) return;
      connection.since = performance.now();
      if (socket.destroyed) return;
      connection.goOn();
      const [next] = line;
      if (next) whenItsTurnComes(() => line[0] === next && !socket.destroyed && next.go());
    });
    if (this.#pipelined > MAX_PIPELINED_IN_ALL) this.#end(this.#longestLine());
    if (!isBehind) go();
  }

  /** Ends a connection. Its place is free at once, not when it has heard of its end. */
  #end(connection: Connection | undefined): void {
    if (connection === undefined) return;
    const { socket, line } = connection;
    this.#open.delete(socket);
    this.#pipelined -= Math.max(0, line.length - 1);
    line.length = 0;
    socket.destroy();
  }

  /** The connection that is ended for a new one; undefined when all of them are event streams. */
  #leastMissed(): Connection | undefined {
    let chosen: Connection | undefined;
    for (const connection of this.#open.values()) {
      const worth = worthOf(connection);
      if (worth === Infinity) continue;
      if (chosen === undefined || worth < worthOf(chosen)) chosen = connection;
      else if (worth === worthOf(chosen) && connection.since < chosen.since) chosen = connection;
    }
    return chosen;
  }

  #longestLine(): Connection | undefined {
    let longest: Connection | undefined;
    for (const each of this.#open.values())
      if (longest === undefined || each.line.length > longest.line.length) longest = each;
    return longest;
  }
}

/** What is least worth a place is ended first, and of equals what has been so for the longest time. */
function worthOf({ line: [first] }: Connection): number {
  if (first === undefined) return 0; // no request: an idle client connects anew when it has one
  const { request, response } = first;
  if (response.writableEnded) return 1; // nobody reads the answer
  if (!request.complete) return 2; // its body does not come to an end
  if (!response.headersSent) return 3; // waits for its answer
  return Infinity; // an event stream: those are bounded by themselves
}
