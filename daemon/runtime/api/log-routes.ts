// Log routes: a live stream per smart function, and the kept history.
import type { FastifyInstance, FastifyReply } from "fastify";
import { type EventStream, openEventStream } from "../../http/event-stream.ts";
import { isSmartFunctionAddress } from "../../protocol/runtime-address.ts";
import type { LogStore } from "../store/log-store.ts";
import { CORS, sendError, sendJson, sendText } from "./answers.ts";
import { countOf } from "./operation-routes.ts";

const KEEP_ALIVE_MS = 3_000;
/** Interval of `ping` events; clients skip data that is not JSON. */
const PING_MS = 10_000;
const DEFAULT_LIMIT = 100;

export function logRoutes(server: FastifyInstance, logs: LogStore): void {
  const readers = new Set<EventStream>();
  let ping: NodeJS.Timeout | undefined;

  server.get<{ Params: { address: string } }>("/logs/:address/stream", ({ params: { address } }, reply) => {
    if (!isSmartFunctionAddress(address)) return refuse(reply);
    const stream = openEventStream(reply, {
      headers: CORS,
      keepAliveMs: KEEP_ALIVE_MS,
      keepAliveText: "keep-alive-ping",
    });
    stream.send({ data: "connected" });
    readers.add(stream);
    ping ??= setInterval(() => readers.forEach((reader) => reader.send({ data: "ping" })), PING_MS);
    const end = logs.listen(address, (data) => stream.send({ data }));
    void stream.closed.then(() => {
      end();
      readers.delete(stream);
      if (readers.size > 0) return;
      clearInterval(ping);
      ping = undefined;
    });
  });

  server.get<{ Params: { address: string }; Querystring: { limit?: string; offset?: string } }>(
    "/logs/:address/persistent/requests",
    ({ params: { address }, query }, reply) => {
      if (!isSmartFunctionAddress(address)) return refuse(reply);
      const limit = countOf(query.limit, DEFAULT_LIMIT);
      const offset = countOf(query.offset, 0);
      if (limit === undefined || offset === undefined) {
        return sendText(reply, 400, "Failed to deserialize query string: limit and offset are counts");
      }
      sendJson(reply, JSON.stringify(logs.newest(address, limit, offset)));
    },
  );

  server.get<{ Params: { address: string; requestId: string } }>(
    "/logs/:address/persistent/requests/:requestId",
    ({ params: { address, requestId } }, reply) => {
      if (!isSmartFunctionAddress(address)) return refuse(reply);
      sendJson(reply, JSON.stringify(logs.ofRequest(address, requestId)));
    },
  );
}

function refuse(reply: FastifyReply): void {
  sendError(reply, 400, "invalid smart function hash");
}
