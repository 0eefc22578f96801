// A container engine with scripted answers on a Unix socket, for behaviour that a real one does not show on demand.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface FakeRequest {
  readonly method: string;
  /** Path without version and query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** API version of the path; undefined for none. */
  readonly version: string | undefined;
  readonly headers: IncomingMessage["headers"];
  /** The part of its body that has arrived: all of it, once the command has its answer. */
  readonly body: readonly Buffer[];
}

/** Answers a request, or returns false to leave it to the defaults. */
export type Answer = (request: FakeRequest, response: ServerResponse) => boolean | void;

export interface FakeEngineOptions {
  readonly apiVersion?: string;
  readonly minApiVersion?: string;
  readonly os?: string;
  readonly answer?: Answer;
  /** Handles an attached connection. */
  readonly attach?: (socket: Socket) => void;
}

export interface FakeEngine extends AsyncDisposable {
  readonly socket: string;
  readonly requests: readonly FakeRequest[];
  asked(method: string, path: RegExp): FakeRequest | undefined;
  /** Cuts all connections and stops listening, like a killed engine. */
  die(): Promise<void>;
}

export async function fakeEngine(options: FakeEngineOptions = {}): Promise<FakeEngine> {
  const folder = mkdtempSync(join(tmpdir(), "functez-engine-"));
  const socket = join(folder, "docker.sock");
  const requests: FakeRequest[] = [];
  const { apiVersion = "1.47", minApiVersion = "1.24", os = "linux" } = options;

  const server = createServer((message, response) => {
    const body: Buffer[] = [];
    const request = { ...read(message), body };
    requests.push(request);
    message.on("data", (chunk: Buffer) => body.push(chunk));
    const refused = refusal(request.version, apiVersion, minApiVersion);
    if (refused) return sendJson(response, 400, { message: refused });
    if (request.path === "/version") {
      return sendJson(response, 200, {
        ApiVersion: apiVersion,
        MinAPIVersion: minApiVersion,
        Arch: "amd64",
        Os: os,
      });
    }
    const taken = options.answer?.(request, response) ?? false;
    if (taken === false && !response.writableEnded && !response.headersSent) {
      sendJson(response, 404, { message: `no such object: ${request.path}` });
    }
  });
  const connections = new Set<Socket>();
  server.on("connection", (connection: Socket) => {
    connections.add(connection);
    connection.on("error", () => undefined);
    connection.once("close", () => connections.delete(connection));
  });
  server.on("upgrade", (message, connection: Socket) => {
    requests.push({ ...read(message), body: [] });
    connection.write("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
    options.attach?.(connection);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));

  async function die(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve)); // resolves at once if already closed
    for (const connection of connections) connection.destroy();
    await closed;
  }
  return {
    socket,
    requests,
    asked: (method, path) => requests.find((each) => each.method === method && path.test(each.path)),
    die,
    async [Symbol.asyncDispose]() {
      await die();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function read(message: IncomingMessage): Omit<FakeRequest, "body"> {
  const url = new URL(message.url ?? "/", "http://engine");
  const [, version, path = "/"] = /^(?:\/v(\d+\.\d+))?(\/.*)$/.exec(url.pathname) ?? [];
  return { method: message.method ?? "", path, version, query: url.searchParams, headers: message.headers };
}

/** Error text of engines for an unsupported API version. */
function refusal(version: string | undefined, newest: string, oldest: string): string | undefined {
  if (version === undefined) return undefined;
  const minor = (text: string) => Number(text.split(".")[1]);
  if (minor(version) < minor(oldest))
    return `client version ${version} is too old. Minimum supported API version is ${oldest}`;
  if (minor(version) > minor(newest))
    return `client version ${version} is too new. Maximum supported API version is ${newest}`;
  return undefined;
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** One frame of the engine's multiplexed output: 1 is stdout, 2 is stderr. */
export function frame(stream: 1 | 2, text: string): Buffer {
  const content = Buffer.from(text);
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(content.length, 4);
  return Buffer.concat([header, content]);
}
