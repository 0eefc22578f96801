// Streams of JSON values, one per line, flushed at once, over chunked HTTP.
import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { OpenStream } from "../../http/open-streams.ts";
import { onResponseEnd } from "../../http/response-end.ts";

/** Bytes by which a reader may lag before it is dropped. */
const MAX_LAG_BYTES = 1024 * 1024;

export interface JsonStream extends OpenStream {
  send(value: unknown): void;
}

/** Turns a reply into a stream. */
export function openJsonStream(reply: FastifyReply): JsonStream {
  const { streams, isOwner } = reply.server;
  const headers = reply.getHeaders();
  reply.hijack();
  const response: ServerResponse = reply.raw;
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) response.setHeader(name, value);
  response.writeHead(200, { "content-type": "application/json" });
  response.flushHeaders();
  const stream: JsonStream = {
    send(value) {
      if (response.destroyed || response.writableEnded) return;
      if (response.writableLength > MAX_LAG_BYTES) return void response.destroy();
      const line = `${JSON.stringify(value)}\n`;
      response.write(line);
      streams.sent(line.length);
    },
    close: () => void response.end(),
    drop: () => void response.destroy(),
    get lag() {
      return response.destroyed ? 0 : response.writableLength;
    },
    closed: new Promise((resolve) => onResponseEnd(response, resolve)),
  };
  streams.add(stream, isOwner(response.req));
  return stream;
}
