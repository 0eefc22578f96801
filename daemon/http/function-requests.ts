// Requests that smart functions make through the oracle. Each carries a mark that no function can leave out or
// change, and every server refuses marked requests on whatever it keeps from web pages: so neither a spelling of a
// path or host nor a redirect leads a function to where only the owner of the sandbox may go.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { SandboxError } from "../protocol/errors.ts";
import type { Access } from "./guard.ts";

/** Header of every request that a smart function causes. */
export const FUNCTION_MARK = "x-functez-function";

/** @param options as of the server: what is not for every web page is not for functions */
export function keepFunctionsOut(
  server: FastifyInstance,
  options: { readonly access: (request: FastifyRequest) => Access; readonly closedToFunctions?: boolean },
): void {
  server.addHook("onRequest", (request, _reply, done) => {
    if (request.headers[FUNCTION_MARK] === undefined) return done();
    const isClosed =
      options.closedToFunctions === true ||
      options.access(request) !== "public" ||
      request.routeOptions.url === undefined ||
      request.routeOptions.url.startsWith("/admin");
    done(isClosed ? new SandboxError("FORBIDDEN_FUNCTION", { path: request.url.split("?")[0] }) : undefined);
  });
}
