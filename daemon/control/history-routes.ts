// The indexer's answers over HTTP: under /tzkt/v1/ of sandboxd, and at a port of its own under /v1/, where clients that know
// TzKT by its root look for it. Public and for reading only, so web pages of any origin may read it.
import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createServer, type ServerOptions } from "../http/server.ts";
import { isWebSocketRequest, WebSocketConnection } from "../http/web-socket.ts";
import { SandboxError } from "../protocol/errors.ts";
import { errorSchema } from "../protocol/sandbox-api.ts";
import * as Type from "../protocol/schema-types.ts";
import type { ControlRoute } from "./control-route.ts";

/** Who knows the history of the chain. */
export interface History {
  /**
   * @param url path and query from the first word on, such as `head`
   * @throws SandboxError SERVER_BUSY, SHUTTING_DOWN
   */
  ask(url: string): Promise<{ readonly status: number; readonly body: string | Buffer }>;
  /** Adds a client of the subscription hub. @throws SandboxError SHUTTING_DOWN */
  listen(listener: {
    readonly send: (text: string) => void;
    readonly end: () => void;
    /** Takes nothing more from the client until the returned function is called. */
    readonly hold: () => () => void;
  }): {
    hear(text: string): void;
    leave(): void;
  };
}

/** Names of the hub in paths: the one of today and the one of before. */
const HUBS = ["ws", "events"];

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, OPTIONS",
  "access-control-allow-headers": "*",
} as const;

/** @throws SandboxError NOT_FOUND where the configuration leaves the indexer out */
function knownOf(history: () => History | undefined): History {
  const known = history();
  if (known !== undefined) return known;
  const next = "The configuration leaves it out: `indexer.follow` turns it on.";
  throw new SandboxError("NOT_FOUND", { what: "indexer", next });
}

/** Answers a request whose path begins with the prefix. */
const answerBelow =
  (prefix: string, history: () => History | undefined) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    void reply.headers(CORS);
    const { status, body } = await knownOf(history).ask(request.url.slice(prefix.length));
    return reply.status(status).type("application/json").send(body);
  };

/** Lets web pages ask with headers of their own. */
const answerPreflight = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply
    .headers(/\/negotiate(?:\?|$)/.test(request.url) ? hubCors(request) : CORS)
    .status(204)
    .send();

/** SignalR's client asks with credentials, for which browsers want to see their own origin. There are no cookies here. */
const hubCors = ({ headers }: FastifyRequest): Record<string, string> => ({
  ...CORS,
  "access-control-allow-methods": "POST, OPTIONS",
  "access-control-allow-headers": headers["access-control-request-headers"] ?? "*",
  ...(headers.origin !== undefined && {
    "access-control-allow-origin": headers.origin,
    "access-control-allow-credentials": "true",
    vary: "origin",
  }),
});

/** Tells a client of the hub that it is to come by WebSocket. */
const negotiate =
  (history: () => History | undefined) =>
  (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    void reply.headers(hubCors(request));
    knownOf(history);
    const connectionToken = randomUUID();
    return reply.send({
      negotiateVersion: 1,
      connectionId: connectionToken,
      connectionToken,
      availableTransports: [{ transport: "WebSockets", transferFormats: ["Text"] }],
    });
  };

/** Takes the connection of a client of the hub. */
const joinHub =
  (history: () => History | undefined) =>
  (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const known = knownOf(history);
    const { streams } = request.server;
    if (!isWebSocketRequest(request.raw))
      throw new SandboxError("BAD_REQUEST", { found: "no WebSocket", expected: "a WebSocket of version 13" });
    const client = known.listen({
      send: (text) => {
        connection.send(text);
        streams.sent(text.length);
      },
      end: () => connection.close(),
      hold: () => connection.hold(),
    });
    void reply.hijack();
    const connection = new WebSocketConnection(request.raw, {
      onText: (text) => client.hear(text),
      onClosed: () => client.leave(),
    });
    streams.add(connection, false);
    return reply;
  };

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
        410: { description: "HISTORY_FORGOTTEN: it is no longer kept.", schema: errorSchema },
        422: {
          description: "ANSWER_TOO_LARGE, QUERY_TOO_SLOW: fewer records, fields or filters are answered.",
          schema: errorSchema,
        },
        503: {
          description: "SERVER_BUSY: too many questions, or the history is read anew.",
          schema: errorSchema,
        },
      },
      handle: answerBelow("/tzkt/v1/", history),
    },
    ...HUBS.flatMap((name): ControlRoute[] => [
      {
        method: "GET",
        url: `/tzkt/v1/${name}`,
        access: "public",
        summary:
          "WebSocket of the subscription hub: SignalR in its JSON form, with TzKT's methods and channels.",
        responses: {
          101: { description: "The hub listens." },
          400: { description: "BAD_REQUEST: no WebSocket.", schema: errorSchema },
          503: { description: "SHUTTING_DOWN: the sandbox ends.", schema: errorSchema },
        },
        handle: joinHub(history),
      },
      {
        method: "POST",
        url: `/tzkt/v1/${name}/negotiate`,
        access: "public",
        summary: `Begins a subscription by SignalR; the WebSocket is at \`/tzkt/v1/${name}\`.`,
        responses: { 200: { description: "How to connect.", schema: anything } },
        handle: negotiate(history),
      },
    ]),
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
  for (const name of HUBS) {
    server.get(
      `/v1/${name}`,
      joinHub(() => history),
    );
    server.post(
      `/v1/${name}/negotiate`,
      negotiate(() => history),
    );
  }
  return server;
}
