// Server-sent events over a raw HTTP response: framing, keep-alive and protection against slow readers.
import type { FastifyReply } from "fastify";
import { mainFanOut, type Outlet } from "./fan-out.ts";
import type { OpenStream } from "./open-streams.ts";
import { onResponseEnd } from "./response-end.ts";

/** Bytes by which a reader may lag; a block of logs exceeds it briefly even for the best reader. */
const LAG_BYTES = 1024 * 1024;
/** Time above LAG_BYTES after which a reader is dropped. */
const LAG_MS = 5000;
/** Bytes at which a reader is dropped at once, so that none makes the server buffer more. */
const MAX_LAG_BYTES = 4 * 1024 * 1024;

export interface EventStreamOptions {
  /** Extra response headers (CORS). */
  readonly headers?: Readonly<Record<string, string>>;
  readonly keepAliveMs: number;
  /** Comment text of a keep-alive line. */
  readonly keepAliveText: string;
}

export interface EventStream extends OpenStream {
  /** Sends one event; `data` must not contain line breaks. */
  send(event: { id?: string; event?: string; data: string }): void;
}

/** Takes over a reply and turns it into an event stream. */
export function openEventStream(reply: FastifyReply, options: EventStreamOptions): EventStream {
  const { streams, isOwner } = reply.server;
  reply.hijack();
  const response = reply.raw;
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    connection: "keep-alive",
    ...options.headers,
  });
  response.flushHeaders();
  let idle = setInterval(ping, options.keepAliveMs);
  let lagsSince: number | undefined;
  /** Ends after what waits to be written. */
  let isEnding = false;

  function ping(): void {
    write(": ", options.keepAliveText);
  }

  const outlet: Outlet = {
    write({ bytes }, isLast) {
      if (response.destroyed || response.writableEnded) return;
      if (response.writableLength <= LAG_BYTES) lagsSince = undefined;
      else lagsSince ??= performance.now();
      const tooLong = lagsSince !== undefined && performance.now() - lagsSince > LAG_MS;
      if (tooLong || response.writableLength > MAX_LAG_BYTES) return drop();
      response.write(bytes);
      streams.sent(bytes.length);
      if (isLast && isEnding) response.end();
    },
    drop,
  };

  function write(head: string, data: string): void {
    if (response.destroyed || response.writableEnded || isEnding) return;
    if (mainFanOut.waitingFor(outlet) > MAX_LAG_BYTES) return drop();
    mainFanOut.send(outlet, mainFanOut.frameOf(head, data));
  }

  function drop(): void {
    mainFanOut.forget(outlet);
    response.destroy();
  }

  const closed = new Promise<void>((resolve) => {
    onResponseEnd(response, () => {
      clearInterval(idle);
      mainFanOut.forget(outlet);
      resolve();
    });
  });

  const stream: EventStream = {
    send({ id, event, data }) {
      clearInterval(idle);
      idle = setInterval(ping, options.keepAliveMs);
      if (response.destroyed) clearInterval(idle);
      write(
        `${id === undefined ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}data: `,
        data,
      );
    },
    close() {
      isEnding = true;
      if (mainFanOut.waitingFor(outlet) === 0) response.end();
    },
    drop,
    get lag() {
      return response.destroyed ? 0 : response.writableLength;
    },
    closed,
  };
  streams.add(stream, isOwner(response.req));
  // The answer to HEAD has no body: the next request of the connection must not wait for its end.
  if (response.req.method === "HEAD") stream.close();
  return stream;
}
