// The one way to make an HTTP server: used by sandboxd, layer1_node and runtime_node. The guard stands in front of all
// routes, existing or not.
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Log } from "../parts/log.ts";
import { reasonOf, SandboxError } from "../protocol/errors.ts";
import { queueingServer } from "./connections.ts";
import { type Access, checkHost, guard, type GuardOptions, isOwner } from "./guard.ts";
import { OpenStreams } from "./open-streams.ts";
import { limitBodies } from "./request-bodies.ts";
import { takeTurns } from "./shared-thread.ts";
import { limitAnswers } from "./unsent-answers.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Whether a request carries the owner's secret. The owner's streams and answers are counted apart. */
    readonly isOwner: (request: IncomingMessage) => boolean;
  }
}

export interface ServerOptions extends GuardOptions {
  /** Name in log lines. */
  readonly name: string;
  readonly log: Log;
  /** Largest request body in bytes. */
  readonly bodyLimit?: number;
  /** Who may use a route. Called after routing, so that no spelling of a path bypasses it. */
  readonly access: (request: FastifyRequest) => Access;
  /** The owner's secret, required by the admin routes; undefined closes them to everybody. */
  readonly adminSecret: string | undefined;
  /** Whether a request only reads and has no queue of its own, so that its answer takes turns. Default: GET and HEAD. */
  readonly isRead?: (request: FastifyRequest) => boolean;
}

const MIB = 1024 * 1024;
/** How long an idle connection stays open; clients keep theirs for less. */
const KEEP_ALIVE_MS = 72_000;

/**
 * Without this, fastify loads its JSON schema compilers, which takes longer than the rest of it. The one server whose
 * routes have schemas sets its own validator.
 */
const NO_COMPILERS = {
  compilersFactory: {
    buildValidator: () => () => {
      throw new Error("a route has a schema, but its server has no validator");
    },
    buildSerializer: () => () => (data: unknown) => JSON.stringify(data),
  },
};

/** A fastify server with guard, limits and our error bodies; does not listen yet. */
export function createServer(options: ServerOptions): FastifyInstance {
  const server = fastify({
    logger: false,
    bodyLimit: options.bodyLimit ?? MIB,
    forceCloseConnections: true,
    return503OnClosing: true,
    // A client that sends its headers byte by byte must not hold a connection forever.
    serverFactory: (handler) =>
      queueingServer(handler, {
        maxHeaderSize: 32 * 1024,
        headersTimeout: 15_000,
        requestTimeout: 60_000,
        keepAliveTimeout: KEEP_ALIVE_MS,
      }),
    routerOptions: { maxParamLength: 1024 },
    exposeHeadRoutes: true,
    schemaController: NO_COMPILERS,
    // A path that cannot be routed (malformed escapes) reaches no hook and no error handler.
    frameworkErrors: (error, request, reply) => {
      const refusal = unroutable(error, request);
      void (reply as FastifyReply).status(refusal.status).send(refusal.toBody());
    },
    clientErrorHandler: refuseMalformed,
  });

  function unroutable(error: FastifyFailure, request: FastifyRequest): SandboxError {
    try {
      checkHost(request.raw, options);
    } catch (refusal) {
      return refusal as SandboxError;
    }
    return new SandboxError("BAD_REQUEST", { at: "the path", found: error.message, expected: "a path" });
  }

  server.addHook("onRequest", (request, _reply, done) => {
    try {
      guard(request.raw, options.access(request), options);
      // Before its body is read, whose bytes only routes count.
      if (request.is404) throw notFound(request);
      done();
    } catch (error) {
      done(error as Error);
    }
  });

  server.decorate("isOwner", ({ headers }: IncomingMessage) => isOwner(headers, options.adminSecret));
  const streams = new OpenStreams();
  server.decorate("streams", streams);
  server.addHook("preClose", (done) => {
    streams.closeAll();
    done();
  });
  limitBodies(server, options.bodyLimit ?? MIB);
  limitAnswers(server);
  takeTurns(server, options.name, options.isRead);

  server.setErrorHandler((error, request, reply) => {
    const failure = error instanceof SandboxError ? error : fromFastify(error as FastifyFailure, options);
    if (failure) return reply.status(failure.status).send(failure.toBody());
    options.log.error(
      { server: options.name, method: request.method, url: request.url, reason: reasonOf(error) },
      "request failed unexpectedly",
    );
    const mistake = new SandboxError("INTERNAL", {});
    return reply.status(mistake.status).send(mistake.toBody());
  });

  server.setNotFoundHandler((request) => {
    throw notFound(request);
  });
  return server;
}

const notFound = ({ method, url }: FastifyRequest): SandboxError =>
  new SandboxError("NOT_FOUND", { what: `${method} ${url.split("?")[0]}` });

/** Statuses for input that is not HTTP, by the parser's error code. */
const MALFORMED: Readonly<Record<string, readonly [status: number, expected: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "headers of at most 32 KiB"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "a whole request without long pauses"],
};

/** Answers malformed HTTP in our own error form and hangs up: nothing after it can be trusted. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  const code = error.code ?? "";
  if (code === "ECONNRESET" || socket.destroyed) return;
  const [status, expected] = MALFORMED[code] ?? [400, "a well-formed HTTP request"];
  const body = JSON.stringify(
    new SandboxError("BAD_REQUEST", { found: code || error.message, expected }).toBody(),
  );
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}

interface FastifyFailure {
  readonly statusCode?: number;
  readonly code?: string;
  readonly message: string;
  readonly validation?: readonly { readonly instancePath?: string; readonly message?: string }[];
}

/** Our error for a request that fastify refuses; undefined when the failure is a bug of ours. */
function fromFastify(error: FastifyFailure, options: ServerOptions): SandboxError | undefined {
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return new SandboxError("BODY_TOO_LARGE", { limit: options.bodyLimit ?? MIB });
  }
  const first = error.validation?.[0];
  if (first) {
    return new SandboxError("BAD_REQUEST", {
      at: first.instancePath === "" ? "the body" : first.instancePath,
      found: "a value of the wrong form",
      expected: first.message ?? "the documented form",
    });
  }
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) {
    return new SandboxError("BAD_REQUEST", { found: error.message, expected: "a well-formed request" });
  }
  return undefined;
}
