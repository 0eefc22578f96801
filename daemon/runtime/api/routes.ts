// The whole HTTP interface of the runtime on one server: routes, CORS, and responses for unknown routes.
import type { FastifyError, FastifyInstance } from "fastify";
import { SandboxError } from "../../protocol/errors.ts";
import type { ReadingThread } from "../operations/reading-thread.ts";
import type { RuntimeCore } from "../runtime-core.ts";
import { accountRoutes } from "./account-routes.ts";
import { CORS, sendEmpty, sendHtml, sendJson, sendPreflight, sendText } from "./answers.ts";
import { logRoutes } from "./log-routes.ts";
import { operationRoutes } from "./operation-routes.ts";
import type * as RuntimeDocuments from "./runtime-documents.ts";

/** Largest request body: the protocol's limit for an operation. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

export interface ApiOptions {
  readonly core: RuntimeCore;
  /** Parses the bodies of operations. */
  readonly reader: ReadingThread;
  /** As the real node: no large runs, no waiting for receipts. */
  readonly strict: boolean;
  /** True while the executor accepts work. */
  readonly executing: () => boolean;
  /** What describes the interface. */
  readonly documents: () => typeof RuntimeDocuments;
}

/** Adds the interface to a server. */
export function runtimeApi(
  server: FastifyInstance,
  { core, reader, strict, executing, documents }: ApiOptions,
): void {
  void server.register((scope, _options, registered) => {
    // Bodies arrive as bytes; the routes decide what a wrong content type means.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.addHook("onRequest", (request, reply, done) => {
      if (request.method === "OPTIONS") sendPreflight(reply);
      else done();
    });
    scope.setErrorHandler<FastifyError>((error, _request, reply) => {
      reply.headers(CORS);
      if (error instanceof SandboxError) throw error;
      if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") return sendText(reply, 413, "length limit exceeded");
      if (error.statusCode === 415) {
        return sendText(reply, 415, "Expected request with `Content-Type: application/json`");
      }
      throw error;
    });

    const methods = collectMethods(scope);
    scope.get("/health", (_request, reply) => sendEmpty(reply, 200));
    scope.get("/worker/health", (_request, reply) => sendEmpty(reply, executing() ? 200 : 503));
    scope.get("/mode", (_request, reply) => sendText(reply, 200, '"sequencer"'));
    let document: string | undefined; // built on first request
    scope.get("/openapi.json", (_request, reply) =>
      sendJson(reply, (document ??= JSON.stringify(documents().openApiDocument()))),
    );
    scope.get("/scalar", (_request, reply) => sendHtml(reply, documents().apiBrowserPage()));
    operationRoutes(scope, { core, reader, strict });
    accountRoutes(scope, core.store.ledger);
    logRoutes(scope, core.store.logs);
    const known = [...methods];
    scope.all("/*", (request, reply) => {
      const path = request.url.split("?")[0] ?? "";
      const allowed = known.filter(([route]) => matches(route, path)).flatMap(([, list]) => list);
      if (allowed.length === 0) sendEmpty(reply, 404);
      else {
        reply.hijack();
        reply.raw.writeHead(405, { ...CORS, allow: allowed.join(","), "content-length": 0 }).end();
      }
    });
    registered();
  });
}

/** Methods of each route registered from here on. */
function collectMethods(scope: FastifyInstance): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  scope.addHook("onRoute", ({ url, method }) => {
    const list = methods.get(url) ?? [];
    list.push(...[method].flat());
    methods.set(url, list);
  });
  return methods;
}

function matches(route: string, path: string): boolean {
  const parts = route.split("/");
  const given = path.split("/");
  return (
    parts.length === given.length &&
    parts.every((part, i) => (part.startsWith(":") ? given[i] !== "" : part === given[i]))
  );
}
