// Performs the HTTP requests of smart functions (`fetch("https://…")`), out of the guest's reach: resolves and checks
// every host on every hop, limits time and size, and follows only http and https.
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { FUNCTION_MARK } from "../../http/guard.ts";
import { reasonOf } from "../../protocol/errors.ts";
import { pause } from "../../protocol/wait.ts";
import { isPublicPath } from "../api/public-paths.ts";
import type { CallRequest, CallResponse } from "../call/http-message.ts";
import { textResponse } from "../call/http-message.ts";
import { ForbiddenAddressError, type Resolve, resolveAllowed } from "./address-guard.ts";
import { NameLookups } from "./name-lookups.ts";
import type { AskOutside, OutsideOptions } from "./open-requests.ts";
import { headersFor, isForbiddenMethod } from "./outgoing-headers.ts";

export interface OracleOptions {
  readonly enabled: boolean;
  /** Also allows loopback, link-local and private addresses. */
  readonly allowPrivate: boolean;
  /** Host names that are allowed whatever their address. */
  readonly allowedHosts: readonly string[];
  readonly timeoutMs: number;
  /** The runtime's own endpoint, which is always reachable. */
  readonly ownEndpoint: () => string;
  /** Port under which existing programs expect the runtime on `localhost`, whatever its real port. */
  readonly wellKnownPort: number;
  readonly resolve?: Resolve;
}

const MAX_REDIRECTS = 10;
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS"]);
const IDEMPOTENT_TRIES = 5;
const RETRY_MS = 100;

export interface Oracle {
  /** Always answers, with 4xx or 5xx where the request cannot be made. */
  readonly ask: AskOutside;
  /** Aborts all requests in flight. */
  stop(): void;
}

export function createOracle(options: OracleOptions): Oracle {
  const stopped = new AbortController();
  const names = new NameLookups();
  const resolveName: Resolve = options.resolve ?? ((host) => names.lookUp(host));

  async function ask(request: CallRequest, { signal: wanted, hold }: OutsideOptions): Promise<CallResponse> {
    if (!options.enabled)
      return textResponse(
        403,
        "Forbidden",
        "Requests to the outside are switched off (runtime_node.oracle.enabled)",
      );
    if (isForbiddenMethod(request.method))
      return textResponse(403, "Forbidden", `requests with method ${request.method} are not allowed`);
    const timeout = AbortSignal.timeout(options.timeoutMs);
    const signal = AbortSignal.any([timeout, stopped.signal, wanted]);
    const tries = IDEMPOTENT.has(request.method) ? IDEMPOTENT_TRIES : 1;
    for (let left = tries - 1; ; left--) {
      try {
        return await unlessAborted(signal, follow(request, signal, hold));
      } catch (error) {
        if (error instanceof ForbiddenAddressError || error instanceof ForbiddenPathError)
          return textResponse(403, "Forbidden", error.message);
        if (error instanceof NoRoomError) return textResponse(503, "Service Unavailable", error.message);
        if (timeout.aborted) return textResponse(408, "Request Timeout", "Oracle request timed out");
        if (left <= 0 || signal.aborted) return textResponse(502, "Bad Gateway", reasonOf(error));
        await pause(RETRY_MS, signal);
      }
    }
  }

  async function follow(
    first: CallRequest,
    signal: AbortSignal,
    hold: OutsideOptions["hold"],
  ): Promise<CallResponse> {
    let request = first;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const url = new URL(request.url);
      const message = await open(url, request, signal);
      const location = message.headers.location;
      if (location === undefined || ![301, 302, 303, 307, 308].includes(message.statusCode ?? 0)) {
        return await read(message, hold);
      }
      message.destroy();
      request = redirectRequest(request, new URL(location, url), message.statusCode ?? 0);
    }
    throw new Error(`more than ${MAX_REDIRECTS} redirects`);
  }

  async function open(url: URL, request: CallRequest, signal: AbortSignal): Promise<IncomingMessage> {
    if (url.protocol !== "http:" && url.protocol !== "https:") throw new Error(`${url.protocol} is not HTTP`);
    const { isOwn, ...connection } = await target(url);
    const headers = { ...headersFor(request.headers, isOwn), host: url.host, [FUNCTION_MARK]: "1" };
    const send = url.protocol === "https:" ? (await import("node:https")).request : httpRequest;
    return new Promise((resolve, reject) => {
      // A new agent for every request: no connection is kept that another host name could reuse.
      const outgoing = send({ ...connection, method: request.method, headers, signal, agent: false });
      outgoing.once("response", resolve);
      outgoing.once("error", reject);
      // Without a response: the server wants to speak another protocol.
      outgoing.once("close", () => reject(new Error("the server ended the connection without an answer")));
      outgoing.end(request.body ?? undefined);
    });
  }

  /** Address, port and path to connect to. */
  async function target(url: URL): Promise<RequestOptions & { isOwn: boolean }> {
    const path = `${url.pathname}${url.search}`;
    const own = new URL(options.ownEndpoint());
    if (leadsToUs(url, own)) {
      if (!isPublicPath(url.pathname)) throw new ForbiddenPathError(url.pathname);
      return { host: own.hostname.replace(/^\[|\]$/g, ""), port: own.port, path, isOwn: true };
    }
    const allowed = options.allowPrivate || options.allowedHosts.includes(url.hostname);
    const { address, family } = await resolveAllowed(url.hostname, allowed, resolveName);
    const servername = url.protocol === "https:" ? { servername: url.hostname } : {};
    return {
      isOwn: false,
      host: address,
      family,
      port: url.port || (url.protocol === "https:" ? 443 : 80),
      path,
      ...servername,
    };
  }

  /** Existing functions reach their own node as `localhost:8933`, also when it runs in a container. */
  function leadsToUs(url: URL, own: URL): boolean {
    const local = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname) || url.hostname === own.hostname;
    return url.protocol === "http:" && local && [own.port, String(options.wellKnownPort)].includes(url.port);
  }

  const stop = (): void => {
    stopped.abort();
    names.stop();
  };
  return { ask, stop };
}

/** Whatever happens outside, a function gets its answer in time: a look-up of a name cannot be aborted, for example. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** What a browser sends after a redirect: the same request, or a GET without body. */
function redirectRequest(request: CallRequest, to: URL, status: number): CallRequest {
  const becomesGet =
    (status === 303 && request.method !== "HEAD") || (status <= 302 && request.method === "POST");
  const sameOrigin = new URL(request.url).origin === to.origin;
  const headers = request.headers.filter(
    ([name]) =>
      (sameOrigin || (name !== "authorization" && name !== "cookie")) &&
      !(becomesGet && name.startsWith("content-")),
  );
  return becomesGet
    ? { url: to.href, method: "GET", headers, body: null }
    : { url: to.href, method: request.method, headers, body: request.body };
}

/** Thrown when the answers of all requests together are too large: a retry would make it worse. */
class NoRoomError extends Error {
  constructor() {
    super("Too many bytes of answers from outside are under way");
    this.name = "NoRoomError";
  }
}

/** Thrown for a path of the runtime that is closed to functions. */
class ForbiddenPathError extends Error {
  constructor(path: string) {
    super(`requests to ${path} are not allowed: functions reach the public interface of the runtime only`);
    this.name = "ForbiddenPathError";
  }
}

async function read(message: IncomingMessage, hold: OutsideOptions["hold"]): Promise<CallResponse> {
  // The announced length is reserved at once, so that a download without room is not started.
  const announced = Math.min(Number(message.headers["content-length"]) || 0, MAX_ANSWER_BYTES);
  if (!hold(announced)) {
    message.destroy();
    throw new NoRoomError();
  }
  // One buffer of the right size, if known: each copy of a large answer is a large piece of garbage.
  let body = Buffer.from(new ArrayBuffer(announced));
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    const end = size + chunk.length;
    if (!hold(end)) throw new NoRoomError();
    if (end > MAX_ANSWER_BYTES) throw new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`);
    if (end > body.length)
      body = Buffer.concat([body.subarray(0, size)], Math.min(2 * end, MAX_ANSWER_BYTES));
    body.set(chunk, size);
    size = end;
  }
  const headers: [string, string][] = [];
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) {
    headers.push([message.rawHeaders[i]!.toLowerCase(), message.rawHeaders[i + 1]!]);
  }
  return {
    status: message.statusCode ?? 0,
    statusText: message.statusMessage ?? "",
    headers,
    body: size === 0 ? null : size === body.length ? body : Buffer.concat([body.subarray(0, size)]),
  };
}
