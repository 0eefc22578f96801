// Routes that stay open: the events of the sandbox and the lines of its log, as server-sent events.
import type { FastifyReply, FastifyRequest } from "fastify";
import { openEventStream } from "../http/event-stream.ts";
import * as Type from "../protocol/schema-types.ts";
import type { ControlContext, ControlRoute } from "./control-route.ts";

export function eventRoutes(context: ControlContext): ControlRoute[] {
  return [
    {
      method: "GET",
      url: "/events",
      access: "own-site",
      summary: "Server-sent events: part, status, head, balances, deposit, operation, snapshot, store.",
      querystring: Type.Object({
        lifeline: Type.Optional(
          Type.Literal("1", { description: "The open connection keeps the daemon alive." }),
        ),
      }),
      responses: {
        200: {
          description: "The stream; `Last-Event-ID` resumes from a bounded buffer.",
          contentType: "text/event-stream",
        },
      },
      handle: (request, reply) => streamEvents(context, request, reply),
    },
    {
      method: "GET",
      url: "/logs",
      access: "own-site",
      summary: "Server-sent events: the latest lines of the daemon's log, and each further one.",
      responses: {
        200: { description: "The data of each event is one JSON line.", contentType: "text/event-stream" },
      },
      handle: (_request, reply) => streamLog(context, reply),
    },
  ];
}

const KEEP_ALIVE_MS = 15_000;

function streamLog(context: ControlContext, reply: FastifyReply): FastifyReply {
  const stream = openEventStream(reply, { keepAliveMs: KEEP_ALIVE_MS, keepAliveText: "keep-alive" });
  for (const line of context.log.recent) stream.send({ data: line });
  void stream.closed.then(context.log.follow((line) => stream.send({ data: line })));
  return reply;
}

function streamEvents(context: ControlContext, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const stream = openEventStream(reply, { keepAliveMs: KEEP_ALIVE_MS, keepAliveText: "keep-alive" });
  const send = ({ id, event, data }: { id: number; event: string; data: string }) =>
    stream.send({ id: String(id), event, data });
  const { "last-event-id": lastId } = request.headers;
  const missed = typeof lastId === "string" && lastId !== "" ? context.hub.since(Number(lastId)) : undefined;
  const { status, parts } = context.supervisor.status();
  if (missed) missed.forEach(send);
  else {
    // A new reader, or one that has missed more than is known, gets the current state first: it never has to guess.
    for (const part of parts) stream.send({ event: "part", data: JSON.stringify(part) });
    stream.send({ event: "status", data: JSON.stringify({ status }) });
  }
  const unsubscribe = context.hub.subscribe(send);
  const wantsLifeline = (request.query as { lifeline?: string }).lifeline === "1";
  const endLifeline = wantsLifeline ? context.lifelines?.attach() : undefined;
  void stream.closed.then(() => {
    unsubscribe();
    endLifeline?.();
  });
  return reply;
}
