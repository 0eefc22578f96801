// How RPC routes are written here: a function from parameters to a JSON value, or a failure that becomes the
// answer a real node gives: 404 with an empty body, 500 with a list of errors.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { SandboxError, reasonOf } from "../../protocol/errors.ts";
import type { Log } from "../../protocol/part.ts";
import { MalformedBytes } from "../michelson/byte-reader.ts";
import { MalformedJson } from "../operations/parse-contents.ts";
import { asRefusal } from "../operations/protocol-error.ts";

/** The thing asked for does not exist. */
export class NotFound extends Error {
  constructor() {
    super("not found");
    this.name = "NotFound";
  }
}

export interface Call {
  /** Parts of the path, by their names in the route. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export type Answer = (call: Call) => unknown;

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-allow-headers": "Content-Type",
} as const;

/** Routes that only programs may use: they get no CORS headers, and foreign origins are refused. */
export function isGuarded(path: string): boolean {
  return path.startsWith("/admin/") || path.startsWith("/local/outbox");
}

/** Sets up bodies, CORS and errors for the RPC routes that are then added. */
export function prepareRpc(server: FastifyInstance, log: Log): void {
  // Clients send JSON under any content type, or none.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => {
    if (body === "") return done(null, undefined);
    try {
      done(null, JSON.parse(body as string));
    } catch {
      done(new MalformedJson("body", "JSON"));
    }
  });
  server.addHook("onRequest", (request, reply, done) => {
    if (!isGuarded(request.url)) void reply.headers(CORS);
    done();
  });
  server.options("/*", (request, reply) => {
    if (isGuarded(request.url)) throw new SandboxError("NOT_FOUND", { what: "such a page" });
    return reply.status(204).send();
  });
  for (const method of ["GET", "POST"] as const) {
    server.route({
      method,
      url: "/*",
      handler: () => {
        throw new NotFound();
      },
    });
  }
  server.setErrorHandler((error, request, reply) => sendError(error as Error, request, reply, log));
}

/** Answers an RPC. */
export function rpc(server: FastifyInstance, method: "GET" | "POST", path: string, answer: Answer): void {
  server.route({
    method,
    url: path,
    handler: async (request, reply) => {
      const value = await answer({
        params: request.params as Record<string, string>,
        query: request.query as Record<string, string>,
        body: request.body,
      });
      return sendJson(reply, value);
    },
  });
}

export function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.header("content-type", "application/json").send(JSON.stringify(value));
}

const failure = (msg: string): readonly object[] => [{ kind: "temporary", id: "failure", msg }];

function sendError(error: Error & { statusCode?: number }, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  if (error instanceof NotFound) return reply.status(404).send();
  if (error instanceof SandboxError) return sendJson(reply.status(error.status), error.toBody());
  const refusal = asRefusal(error);
  if (refusal) return sendJson(reply.status(500), refusal.toJson());
  if (error instanceof MalformedBytes) return sendJson(reply.status(500), failure(`Can't parse the operation: ${error.message}`));
  if (error instanceof MalformedJson) return sendJson(reply.status(400), failure(`Failed to parse the request body: ${error.message}`));
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return sendJson(reply.status(status), failure(error.message));
  // A tree that is nested too deeply for the host's stack is the client's doing, not a bug.
  if (error instanceof RangeError) return sendJson(reply.status(500), failure("The request is too large or nested too deeply"));
  log.error({ method: request.method, url: request.url, reason: reasonOf(error), stack: error.stack }, "RPC failed unexpectedly");
  return sendJson(reply.status(500), failure("The node made a mistake while answering; its log has the details"));
}
