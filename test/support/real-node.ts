// The interface of a real Jstz node, as an executable contract: only its routes, receipts that come late, error bodies
// without a content type, empty 404s. Behind it is a strict sandbox, whose own routes do not get through.
// Source: crates/jstz_node of the commit that daemon/protocol/real-runtime.ts names.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** Every route of the real node, with its method. Persistent logs are disabled in every build that was shipped. */
const ROUTES: readonly (readonly [method: string, path: RegExp])[] = [
  ["GET", /^\/health$/],
  ["GET", /^\/worker\/health$/],
  ["GET", /^\/mode$/],
  ["POST", /^\/operations$/],
  ["POST", /^\/operations\/hash$/],
  ["GET", /^\/operations\/[^/]+\/receipt$/],
  ["GET", /^\/accounts\/[^/]+$/],
  ["GET", /^\/accounts\/[^/]+\/(nonce|balance|code)$/],
  ["GET", /^\/accounts\/[^/]+\/kv(\/subkeys)?$/],
  ["GET", /^\/logs\/[^/]+\/stream$/],
];
/** Polls of a receipt that are answered with 404 before it is there. */
const LATE_POLLS = 2;

export interface RealNode {
  readonly endpoint: string;
  /** Requests that got through, and those for routes that the real node lacks: method, path without values, status. */
  readonly seen: readonly string[];
  close(): Promise<void>;
}

/** @param runtime base URL of the runtime behind it */
export async function startRealNode(runtime: string): Promise<RealNode> {
  const seen: string[] = [];
  const polls = new Map<string, number>();

  async function answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const url = request.url ?? "/";
    const path = url.split("?")[0] ?? "/";
    const finish = (status: number, headers: Record<string, string> = {}): void => {
      seen.push(`${request.method} ${withoutValues(path)} ${status}`);
      reply.writeHead(status, headers);
    };
    const known = ROUTES.filter(([, pattern]) => pattern.test(path));
    if (known.length === 0) {
      finish(404);
      return void reply.end();
    }
    if (!known.some(([method]) => method === request.method)) {
      finish(405, { allow: known.map(([method]) => method).join() });
      return void reply.end();
    }
    if (path.endsWith("/receipt")) {
      const count = polls.get(path) ?? 0;
      polls.set(path, count + 1);
      if (count < LATE_POLLS) {
        finish(404);
        return void reply.end();
      }
    }
    const body = request.method === "POST" ? await buffer(request) : undefined;
    const gone = new AbortController();
    reply.once("close", () => gone.abort());
    const type = request.headers["content-type"];
    const response = await fetch(runtime + url, {
      method: request.method ?? "GET",
      signal: gone.signal,
      headers: type === undefined ? {} : { "content-type": type },
      ...(body === undefined ? {} : { body: new Uint8Array(body) }),
    });
    const shown = response.ok ? response.headers.get("content-type") : null;
    finish(response.status, shown === null ? {} : { "content-type": shown });
    const chunks = response.body as AsyncIterable<Uint8Array> | null;
    if (chunks !== null) for await (const chunk of chunks) reply.write(chunk);
    reply.end();
  }

  const server = createServer((request, reply) => {
    answer(request, reply).catch(() => reply.destroy()); // the client or the runtime has gone
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

/** `/accounts/tz1…/nonce` as `/accounts/:/nonce`. */
const withoutValues = (path: string): string =>
  path.replace(/^(\/(?:accounts|logs|operations)\/)(?!hash$)[^/]+/, "$1:");
