// A small HTTP client for the sandbox's own interfaces: keep-alive, timeouts, precise errors, no proxies (proxy
// variables of the environment must never catch a loopback request).
import {
  Agent as HttpAgent,
  type AgentOptions,
  type IncomingMessage,
  request as httpRequest,
} from "node:http";
import { StringDecoder } from "node:string_decoder";
import { reasonOf, SandboxError } from "../protocol/errors.ts";
import { malformedAnswer } from "./decode-answer.ts";

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Limit of the time without a byte of the response, in ms. */
  readonly timeoutMs?: number;
  /** Limit of the response's body; more is ANSWER_MALFORMED. */
  readonly maxBytes?: number;
  /** The server, as the beginning of the error sentence: "The layer 1 node". */
  readonly what?: string;
  /** An own agent instead of the shared one. */
  readonly agent?: HttpAgent;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<IncomingMessage["headers"]>;
  readonly body: string;
  /** The server's end of the connection. */
  readonly from: { readonly address: string | undefined; readonly port: number | undefined };
}

/** What opens connections of a protocol. */
interface Opener {
  readonly request: typeof httpRequest;
  readonly agent: HttpAgent;
}

const AGENT_OPTIONS = { keepAlive: true, maxSockets: 64 };
const plain: Opener = { request: httpRequest, agent: new HttpAgent(AGENT_OPTIONS) };
let secure: Promise<Opener> | undefined;

/** TLS is loaded on first use: most sandboxes never need it. */
const openSecure = (): Promise<Opener> =>
  (secure ??= import("node:https").then(({ request, Agent }) => ({
    request,
    agent: new Agent(AGENT_OPTIONS),
  })));

/** An own agent for requests to a server. */
export async function newAgent(base: string, options: AgentOptions): Promise<HttpAgent> {
  if (!base.startsWith("https:")) return new HttpAgent(options);
  const { Agent } = await import("node:https");
  return new Agent(options);
}
const DEFAULT_TIMEOUT_MS = 30_000;
/** A response may take this many times as long as it may be silent, so that one that trickles ends too. */
const SILENCES = 4;
/** Far above any response without a limit of its own. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** The same for what may be large: every value of a function, a block, a level of an inbox. */
export const LARGE_ANSWER_BYTES = 48 * 1024 * 1024;
/** Bytes of all responses that are being received; one alone may exceed it. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** The longest line of a stream, in characters: a head, or a block with a short inbox. */
const MAX_LINE_LENGTH = 256 * 1024;

/** Bytes of responses in memory that are not complete. */
let held = 0;

/**
 * One request; resolves with any status.
 * @throws SandboxError NETWORK_UNREACHABLE when no answer comes, ANSWER_MALFORMED when it is too long, CANCELLED when the
 * signal aborts
 */
export async function httpRequestText(url: string, options: HttpRequest = {}): Promise<HttpAnswer> {
  const response = await openHttp(url, options);
  const { maxBytes = MAX_ANSWER_BYTES, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const { remoteAddress: address, remotePort: port } = response.socket; // lost when the connection closes
  const decoder = new StringDecoder("utf8");
  let body = "";
  let size = 0;
  const limitMs = SILENCES * timeoutMs;
  const late = setTimeout(
    () => response.destroy(new Error(`no whole answer within ${limitMs / 1000} s`)),
    limitMs,
  ).unref();
  try {
    for await (const chunk of response) {
      const { length } = chunk as Buffer;
      size += length;
      held += length;
      if (size > maxBytes) throw tooLong(url, options, maxBytes);
      if (held > MAX_HELD_BYTES && held > size) throw new Error("other answers take too much memory");
      body += decoder.write(chunk as Buffer);
    }
  } catch (error) {
    throw error instanceof SandboxError ? error : unreachable(url, options, error);
  } finally {
    held -= size;
    clearTimeout(late);
  }
  body += decoder.end();
  return { status: response.statusCode ?? 0, headers: response.headers, body, from: { address, port } };
}

function tooLong(url: string, { what = "The server" }: HttpRequest, maxBytes: number): SandboxError {
  return malformedAnswer({ what, url }, `it has more than ${maxBytes} bytes`);
}

/** Opens a request and resolves with the response once its headers arrive: for streams. @throws as above */
export async function openHttp(url: string, options: HttpRequest = {}): Promise<IncomingMessage> {
  const target = new URL(url);
  const opener = target.protocol === "https:" ? await openSecure() : plain;
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = { accept: "application/json", ...options.headers };
    if (options.body !== undefined) {
      headers["content-type"] ??= "application/json";
      headers["content-length"] = String(Buffer.byteLength(options.body));
    }
    const request = opener.request(target, {
      method: options.method ?? (options.body === undefined ? "GET" : "POST"),
      headers,
      agent: options.agent ?? opener.agent,
      ...(options.signal ? { signal: options.signal } : {}),
    });
    request.setTimeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, () =>
      request.destroy(new Error(`no answer within ${(options.timeoutMs ?? DEFAULT_TIMEOUT_MS) / 1000} s`)),
    );
    // Without a response: the server wants to speak another protocol.
    const onClose = (): void =>
      reject(unreachable(url, options, new Error("it ended the connection without an answer")));
    request.once("close", onClose);
    request.once("response", (response) => {
      request.off("close", onClose);
      resolve(response);
    });
    request.once("error", (error) => reject(unreachable(url, options, error)));
    request.end(options.body);
  });
}

function unreachable(url: string, options: HttpRequest, cause: unknown): SandboxError {
  if (options.signal?.aborted) return new SandboxError("CANCELLED", { what: "The request" }, { cause });
  return new SandboxError(
    "NETWORK_UNREACHABLE",
    { what: options.what ?? "The server", endpoint: new URL(url).origin, reason: reasonOf(cause) },
    { cause },
  );
}

/**
 * Yields the lines of a chunked response as they arrive, without their line breaks.
 * @throws Error when a line does not end
 */
export async function* linesOf(
  response: Pick<IncomingMessage, "setEncoding"> & AsyncIterable<unknown>,
  maxLength = MAX_LINE_LENGTH,
): AsyncGenerator<string> {
  response.setEncoding("utf8");
  /** Pieces of an incomplete line: joined once, not with each piece. */
  let pieces: string[] = [];
  let kept = 0;
  for await (const chunk of response) {
    const lines = (chunk as string).split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      yield pieces.length === 0 ? line : pieces.join("") + line;
      pieces = [];
      kept = 0;
    }
    kept += rest.length;
    if (kept > maxLength) throw new Error(`a line of the stream has more than ${maxLength} characters`);
    if (rest !== "") pieces.push(rest);
  }
  if (pieces.length > 0) yield pieces.join("");
}

/** Closes idle keep-alive connections, so that a short-lived program can exit at once. */
export function closeIdleConnections(): void {
  plain.agent.destroy();
  void secure?.then(({ agent }) => agent.destroy());
}
