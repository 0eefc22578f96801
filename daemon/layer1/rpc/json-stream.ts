// Streams of JSON values, one a line, flushed at once, over chunked HTTP.
import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";

/** Bytes a reader may lag behind before it is dropped. */
const MAX_LAG_BYTES = 1024 * 1024;

export interface JsonStream {
  send(value: unknown): void;
  close(): void;
}

/** Takes over a reply. `onEnd` is called once when the reader is gone or the stream was closed. */
export function openJsonStream(reply: FastifyReply, onEnd: () => void): JsonStream {
  const headers = reply.getHeaders();
  reply.hijack();
  const response: ServerResponse = reply.raw;
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) response.setHeader(name, value);
  response.writeHead(200, { "content-type": "application/json" });
  response.flushHeaders();
  response.once("close", onEnd);
  return {
    send(value) {
      if (response.destroyed || response.writableEnded) return;
      if (response.writableLength > MAX_LAG_BYTES) response.destroy();
      else response.write(`${JSON.stringify(value)}\n`);
    },
    close: () => void response.end(),
  };
}
