// Defines RPC routes: functions from parameters to a JSON value, or to a failure that becomes the answer of a real node:
// 404 with an empty body, or 500 with a list of errors.
import type { OutgoingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Access } from "../../http/guard.ts";
import { isGet } from "../../http/may-have-body.ts";
import { tooManyUnsent } from "../../http/unsent-answers.ts";
import type { Log } from "../../parts/log.ts";
import { SandboxError, reasonOf } from "../../protocol/errors.ts";
import { MalformedBytes } from "../../tezos/byte-reader.ts";
import { MalformedJson } from "../../tezos/json-fields.ts";
import type { Protocol } from "../../tezos/protocols.ts";
import { UnsupportedKind } from "../../tezos/unsupported-kind.ts";
import { asRefusal } from "../operations/operation-refused.ts";
import type { Turns } from "../turns.ts";
import { AnswerText } from "./list-answer.ts";
import { bodyOf, prepareBody } from "./request-body.ts";
import { RouteTable } from "./route-table.ts";

/** The requested resource does not exist. */
export class NotFound extends Error {
  constructor() {
    super("not found");
    this.name = "NotFound";
  }
}

/** A parameter after the `?` says something that cannot be meant. */
export class BadQuery extends Error {
  readonly statusCode = 400;

  constructor(name: string, found: string, expected: string) {
    super(
      `Failed to parse the query: ${name} is ${JSON.stringify(found.slice(0, 60))}, expected ${expected}.`,
    );
    this.name = "BadQuery";
  }
}

export interface Call {
  /** Parameters of the path, by their names in the route. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Length of the body. */
  readonly bytes: number;
  /** Whether the client has stopped waiting for the answer. */
  readonly isGone: () => boolean;
}

export type Answer = (call: Call) => unknown;
/** An answer that takes over the reply, such as a stream. */
export type StreamAnswer = (call: Call, reply: FastifyReply) => void;

/** Where routes are added. */
export interface Rpc {
  get(path: string, answer: Answer): void;
  post(path: string, answer: Answer): void;
  stream(path: string, answer: StreamAnswer): void;
}

type Route = { readonly answer: Answer } | { readonly stream: StreamAnswer };

/** Assumed length of a body without a Content-Length. */
const UNKNOWN_BYTES = 65_536;

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-allow-headers": "Content-Type",
} as const;

/**
 * Who may use a route. Routes that are not public get no CORS headers. Uses the unescaped path, as the router does:
 * `/%61dmin/bake` is the same route. The owner's are `/admin/`, which controls time and state, and `POST /local/outbox`,
 * by which the runtime reports withdrawals. The rest of the rollup node's `/local/` is for programs only:
 * `/local/batcher/injection` spends the operator's tez.
 */
export function accessOf({ url, method }: { readonly url: string; readonly method: string }): Access {
  let path: string;
  try {
    path = pathOf(url);
  } catch {
    return "own-site"; // no such route, so nothing to protect
  }
  if (isBelow(path, "/admin")) return "owner";
  if (!isBelow(path, "/local")) return "public";
  return isBelow(path, "/local/outbox") && method === "POST" ? "owner" : "own-site";
}

/** Whether an answer is computed in one go. Operations and scripts have queues of their own, where they can pause. */
export function takesTurns(request: Pick<FastifyRequest, "method" | "url">): boolean {
  return isGet(request) || !OWN_QUEUES.test(request.url);
}

/** Anchored at the first segment: nothing in a query must let a request skip its turn. */
const OWN_QUEUES = /^\/(?:(?:injection|admin|local)|chains\/[^/?]+\/blocks\/[^/?]+\/helpers\/scripts)\//;

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Sets up bodies, CORS, errors and routing of RPCs in a scope of a server. */
export function prepareRpc(scope: FastifyInstance, log: Log, turns: Turns, protocol: Protocol): Rpc {
  // Clients send JSON under any content type, or none.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => {
    try {
      done(null, prepareBody(body as string));
    } catch (error) {
      done(error as Error);
    }
  });
  scope.addHook("onRequest", (request, reply, done) => {
    if (accessOf(request) === "public") void reply.headers(CORS);
    done();
  });
  scope.setErrorHandler((error, request, reply) => sendError(error as Error, request, reply, log, protocol));

  const table = new RouteTable<Route>();
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const found = table.find(request.method, pathOf(request.url));
    if (!found) throw new NotFound();
    const isGone = (): boolean => reply.raw.destroyed;
    const body = bodyOf(request.body, turns, isGone);
    const call: Call = {
      params: found.params,
      query: request.query as Record<string, string>,
      body: body instanceof Promise ? await body : body,
      bytes: Number(request.headers["content-length"]) || UNKNOWN_BYTES,
      isGone,
    };
    if ("answer" in found.value) {
      const answer = found.value.answer(call);
      // Synchronously if possible, so that serializing counts towards the turn as well.
      return sendAnswer(reply, answer instanceof Promise ? await answer : answer);
    }
    found.value.stream(call, reply);
    return reply;
  };
  scope.route({ method: "GET", url: "/*", exposeHeadRoute: false, handler: handle });
  scope.route({ method: "POST", url: "/*", handler: handle });
  scope.route({
    method: "OPTIONS",
    url: "/*",
    handler: (request, reply) => {
      if (accessOf(request) !== "public") throw new NotFound();
      return reply.status(204).send();
    },
  });
  return {
    get: (path, answer) => table.add("GET", path, { answer }),
    post: (path, answer) => table.add("POST", path, { answer }),
    stream: (path, stream) => table.add("GET", path, { stream }),
  };
}

/** The path of a request without its query, unescaped: clients may escape characters such as `~`. */
function pathOf(url: string): string {
  const end = url.indexOf("?");
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    throw new NotFound();
  }
}

/** Writes text straight to the response, so that head and body leave in one write: half the cost of a small answer. */
function sendAnswer(reply: FastifyReply, value: unknown): FastifyReply {
  const body = value instanceof AnswerText ? value.text : JSON.stringify(value); // first: what cannot be written gets an ordinary error answer
  const headers = reply.getHeaders() as OutgoingHttpHeaders; // those of CORS
  const { raw } = reply;
  const length = Buffer.byteLength(body);
  if (!reply.server.unsent.admit(raw, length)) throw tooManyUnsent();
  reply.hijack();
  if (raw.destroyed) return reply;
  raw.writeHead(200, { ...headers, "content-type": "application/json", "content-length": length });
  raw.end(body, "utf8");
  return reply;
}

function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.header("content-type", "application/json").send(JSON.stringify(value));
}

const failure = (msg: string): readonly object[] => [{ kind: "temporary", id: "failure", msg }];

/** Errors for an operation that this sandbox does not support. One kind is refused by every node, with an error of its own. */
const unsupportedErrors = (
  { kind, message }: UnsupportedKind,
  { errorPrefix }: Protocol,
): readonly object[] => [
  kind === "failing_noop"
    ? { kind: "permanent", id: `${errorPrefix}validate.operation.failing_noop_error` }
    : { kind: "permanent", id: "sandbox.unsupported_operation", operation: kind, msg: message },
];

function sendError(
  error: Error & { statusCode?: number },
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
  protocol: Protocol,
): FastifyReply {
  if (error instanceof NotFound) return reply.status(404).send();
  if (error instanceof SandboxError) return sendJson(reply.status(error.status), error.toBody());
  const refusal = asRefusal(error);
  if (refusal) return sendJson(reply.status(500), refusal.toJson(protocol));
  if (error instanceof MalformedBytes)
    return sendJson(reply.status(500), failure(`Can't parse the operation: ${error.message}`));
  if (error instanceof UnsupportedKind)
    return sendJson(reply.status(500), unsupportedErrors(error, protocol));
  if (error instanceof MalformedJson)
    return sendJson(reply.status(400), failure(`Failed to parse the request body: ${error.message}`));
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return sendJson(reply.status(status), failure(error.message));
  // A tree nested too deeply for the call stack is the client's fault, not a bug.
  if (error instanceof RangeError)
    return sendJson(reply.status(500), failure("The request is too large or nested too deeply"));
  log.error(
    { method: request.method, url: request.url, reason: reasonOf(error), stack: error.stack },
    "RPC failed unexpectedly",
  );
  return sendJson(reply.status(500), failure("The node failed to answer; its log has the details"));
}
