// What one server may have in its hands at once: connections, and bytes of request bodies that are not answered yet.
// A body within its own limit is fine; a hundred of them at the same moment are a crash on a small machine.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { SandboxError } from "../protocol/errors.ts";
import { onResponseEnd } from "./response-end.ts";

/** Connections of one server. The three together stay below what systems allow a process to have open. */
export const MAX_CONNECTIONS = 1_024;
/** Requests of one connection that are not answered yet, and those of all that are ahead of another one's answer. */
export const MAX_PIPELINED = 128;
const MAX_PIPELINED_IN_ALL = 1_024;
/** Bodies up to this size are not counted: as many as there are connections are no harm. */
const SMALL_BODY = 64 * 1024;
/** Milliseconds in which the rest of a refused body is thrown away before its connection is closed. */
const REFUSED_BODY_MS = 1_000;

/** @param bodyLimit largest single body; four of them may be under way */
export function limitLoad(server: FastifyInstance, bodyLimit: number): void {
  const maxBytes = 4 * bodyLimit;
  let connections = 0;
  let bytes = 0;

  // By event: the second listener of a server hands its connections over the same way, past the count of Node.
  server.server.on("connection", (socket: Socket) => {
    if (connections >= MAX_CONNECTIONS) return void socket.destroy();
    connections++;
    socket.once("close", () => connections--);
  });

  // Closed at once, a connection with unread bytes is reset, and a client that still writes loses the answer.
  server.addHook("onSend", (request, reply, _payload, done) => {
    if (reply.getHeader("connection") === "close" && !request.raw.complete) {
      reply.removeHeader("connection");
      reply.raw.shouldKeepAlive = true; // also for a client that asked for no more than this answer
      reply.raw.once("finish", () => discardBody(request.raw));
    }
    done();
  });

  /** What goes on with the requests of each connection; the first one is being answered. */
  const open = new WeakMap<Socket, (() => void)[]>();
  let pipelined = 0;
  server.addHook("onRequest", (request, reply, done) => {
    const { socket } = request.raw;
    const line = open.get(socket) ?? [];
    open.set(socket, line);
    const isAhead = line.push(done) > 1;
    if (isAhead) pipelined++;
    onResponseEnd(reply.raw, () => {
      const wasFirst = line[0] === done;
      line.splice(line.indexOf(done), 1);
      if (isAhead) pipelined--;
      if (wasFirst && !socket.destroyed) line[0]?.();
    });
    if (line.length > MAX_PIPELINED || pipelined > MAX_PIPELINED_IN_ALL) socket.destroy();
    // Its answer could not be sent before the one ahead of it, so it is not made before that either: many that nobody
    // reads would pile up.
    if (!isAhead) done();
  });

  server.addHook("preParsing", (request, reply, payload, done) => {
    const length = Number(request.headers["content-length"]);
    if (length <= SMALL_BODY) return done(null, payload);
    if (Number.isNaN(length) && request.headers["transfer-encoding"] === undefined)
      return done(null, payload);
    // It would be counted until the answer before it on its connection ends, which may be never.
    if (reply.raw.socket === null)
      return done(new SandboxError("SERVER_BUSY", { what: "requests on one connection" }));
    let own = 0;
    const release = (): void => {
      bytes -= own;
      own = 0;
      payload.off("data", count);
    };
    const count = (chunk: Buffer): void => {
      own += chunk.length;
      bytes += chunk.length;
      if (bytes <= maxBytes) return;
      release();
      // Whoever parses it gets the error and answers with it.
      (payload as IncomingMessage).emit(
        "error",
        new SandboxError("SERVER_BUSY", { what: "bytes of requests" }),
      );
    };
    payload.on("data", count);
    onResponseEnd(reply.raw, release);
    done(null, payload);
  });
}

/** Reads a body to nowhere; a client that does not come to its end in time is hung up on. */
function discardBody(request: IncomingMessage): void {
  const hangUp = setTimeout(() => request.destroy(), REFUSED_BODY_MS);
  hangUp.unref();
  request.once("close", () => clearTimeout(hangUp)).once("end", () => clearTimeout(hangUp));
  request.resume();
}
