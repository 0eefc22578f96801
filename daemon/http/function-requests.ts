// Requests that smart functions make through the oracle. Each carries a mark that no function can leave out or
// change, and every server refuses marked requests on whatever it keeps from web pages: so neither a spelling of a
// path or host nor a redirect leads a function to where only the owner of the sandbox may go.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { SandboxError } from "../protocol/errors.ts";

/** Header of every request that a smart function causes. */
export const FUNCTION_MARK = "x-functez-function";

/** @param guardOrigin as of the server: what is guarded from web pages is guarded from functions */
export function keepFunctionsOut(
  server: FastifyInstance,
  guardOrigin: "all-writes" | ((request: FastifyRequest) => boolean),
): void {
  server.addHook("onRequest", (request, _reply, done) => {
    if (request.headers[FUNCTION_MARK] === undefined) return done();
    // The control interface is closed as a whole: what it tells is nobody's business either.
    const isClosed =
      guardOrigin === "all-writes" ||
      guardOrigin(request) ||
      request.routeOptions.url === undefined ||
      request.routeOptions.url.startsWith("/admin");
    done(isClosed ? new SandboxError("FORBIDDEN_FUNCTION", { path: request.url.split("?")[0] }) : undefined);
  });
}
