// Bounds the bytes of request bodies in flight on one server. A body within its own limit is fine; a hundred of them at
// the same moment crash a small machine.
import type { IncomingMessage } from "node:http";
import type { FastifyInstance, preParsingHookHandler } from "fastify";
import { SandboxError } from "../protocol/errors.ts";
import { mayHaveBodies } from "./may-have-body.ts";
import { onResponseEnd } from "./response-end.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bodies up to this size are not counted: even one per connection is harmless. */
const SMALL_BODY = 64 * KIB;
/** Milliseconds after which an incomplete body may be dropped to make room; an honest client is done by then. */
const OLD_MS = 2_000;
/** Milliseconds for which the rest of a refused body is discarded before its connection is closed. */
const REFUSED_BODY_MS = 1_000;

interface Body {
  readonly payload: IncomingMessage;
  /** Clock milliseconds at which it began. */
  readonly since: number;
  bytes: number;
}

/** Bodies in flight of one range of sizes. Each has room of its own, so that a few large ones displace no small one. */
class SizeClass {
  readonly #maxBytes: number;
  /** By arrival. */
  readonly #bodies = new Set<Body>();
  #bytes = 0;
  readonly upTo: number;

  constructor(upTo: number, maxBytes: number) {
    this.upTo = upTo;
    this.#maxBytes = maxBytes;
  }

  take(body: Body, bytes: number): void {
    this.#bodies.add(body);
    this.#bytes += bytes;
  }

  release(body: Body): void {
    if (this.#bodies.delete(body)) this.#bytes -= body.bytes;
  }

  /**
   * The body to drop when there are too many bytes: an old incomplete one, else the newest, so that those far along
   * complete.
   */
  tooMuch(growing: Body): Body | undefined {
    if (this.#bytes <= this.#maxBytes) return undefined;
    const before = performance.now() - OLD_MS;
    let newest = growing;
    for (const body of this.#bodies) {
      if (body.payload.complete) continue;
      if (body.since < before) return body;
      if (body.since > newest.since) newest = body;
    }
    return newest;
  }
}

/** @param bodyLimit largest single body; there is room for six such in flight */
export function limitBodies(server: FastifyInstance, bodyLimit: number): void {
  const classes = [
    new SizeClass(256 * KIB, 8 * MIB),
    new SizeClass(MIB, 16 * MIB),
    new SizeClass(Infinity, 6 * bodyLimit),
  ];

  // Closing at once would reset a connection with unread bytes, and a client that still writes would lose the answer.
  server.addHook("onSend", (request, reply, _payload, done) => {
    if (!request.raw.complete && reply.getHeader("connection") === "close") {
      reply.removeHeader("connection");
      reply.raw.shouldKeepAlive = true; // even when the client asked to close
      reply.raw.once("finish", () => discardBody(request.raw));
    }
    done();
  });

  const preParsing: preParsingHookHandler = (request, reply, payload, done) => {
    const { headers } = request;
    const isSmall = Number(headers["content-length"]) <= SMALL_BODY;
    const isNone = headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
    if (isSmall || isNone) return done(null, payload);
    const body: Body = { payload: payload as IncomingMessage, since: performance.now(), bytes: 0 };
    let size: SizeClass | undefined;
    const count = (chunk: Buffer): void => {
      const before = size;
      const total = body.bytes + chunk.length;
      if (total > SMALL_BODY) size = classes.find(({ upTo }) => total <= upTo)!;
      if (size !== before) before?.release(body);
      body.bytes = total;
      size?.take(body, size === before ? chunk.length : total);
      const victim = size?.tooMuch(body);
      // The reader of that body receives the error and answers with it.
      victim?.payload.emit("error", new SandboxError("SERVER_BUSY", { what: "bytes of requests" }));
    };
    const release = (): void => {
      size?.release(body);
      body.payload.off("data", count);
    };
    body.payload.on("data", count).once("error", release);
    onResponseEnd(reply.raw, release);
    done(null, payload);
  };
  server.addHook("onRoute", (route) => {
    if (mayHaveBodies(route)) route.preParsing = [route.preParsing ?? [], preParsing].flat();
  });
}

/** Discards the rest of a body; hangs up on a client that does not finish in time. */
function discardBody(request: IncomingMessage): void {
  const hangUp = setTimeout(() => request.destroy(), REFUSED_BODY_MS);
  hangUp.unref();
  request.once("close", () => clearTimeout(hangUp)).once("end", () => clearTimeout(hangUp));
  request.resume();
}
