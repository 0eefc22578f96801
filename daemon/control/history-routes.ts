// The indexer's answers over HTTP: under /tzkt/v1/ of sandboxd, and at a port of its own under /v1/, where clients that know
// TzKT by its root look for it. Public and for reading only, so web pages of any origin may read it.
import { Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createServer, type ServerOptions } from "../http/server.ts";
import { SandboxError } from "../protocol/errors.ts";
import { errorSchema } from "../protocol/sandbox-api.ts";
import type { ControlRoute } from "./routes.ts";

/** Who knows the history of the chain. */
export interface History {
  /**
   * @param url path and query from the first word on, such as `head`
   * @throws SandboxError SERVER_BUSY, SHUTTING_DOWN
   */
  ask(url: string): Promise<{ readonly status: number; readonly body: string }>;
}

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, OPTIONS",
  "access-control-allow-headers": "*",
} as const;

/** Answers a request whose path begins with the prefix. */
const answerBelow =
  (prefix: string, history: () => History | undefined) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    void reply.headers(CORS);
    const known = history();
    if (known === undefined)
      throw new SandboxError("NOT_FOUND", {
        what: "indexer",
        next: "The configuration leaves it out: indexer.follow.",
      });
    const { status, body } = await known.ask(request.url.slice(prefix.length));
    return reply.status(status).type("application/json").send(body);
  };

/** Lets web pages ask with headers of their own. */
const answerPreflight = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.headers(CORS).status(204).send();

const anything = Type.Unknown();

/** Routes of sandboxd. @param history undefined where the configuration leaves the indexer out */
export function historyRoutes(history: () => History | undefined): readonly ControlRoute[] {
  const url = "/tzkt/v1/*";
  return [
    {
      method: "GET",
      url,
      access: "public",
      summary:
        "The chain's history as TzKT tells it, for web pages of any origin too. docs/tezos.md lists the routes. Failures also have TzKT's fields `code` and `errors`.",
      responses: {
        200: { description: "The answer.", schema: anything },
        204: { description: "There is no such thing." },
        400: {
          description: "BAD_REQUEST: an address, a filter, a limit or a path is wrong.",
          schema: errorSchema,
        },
        404: { description: "NOT_FOUND: there is no such route.", schema: errorSchema },
        503: {
          description: "SERVER_BUSY: too many questions, or the history is read anew.",
          schema: errorSchema,
        },
      },
      handle: answerBelow("/tzkt/v1/", history),
    },
    {
      method: "OPTIONS",
      url,
      access: "public",
      summary: "Tells browsers that web pages may read the history.",
      responses: { 204: { description: "They may." } },
      handle: answerPreflight,
    },
  ];
}

/** A server of its own for the history; not yet listening. */
export function createHistoryServer(
  history: History,
  options: Pick<ServerOptions, "log" | "allowedHosts">,
): FastifyInstance {
  const server = createServer({
    ...options,
    name: "indexer",
    access: () => "public",
    adminSecret: undefined,
  });
  server.get(
    "/v1/*",
    answerBelow("/v1/", () => history),
  );
  server.options("/v1/*", answerPreflight);
  return server;
}
