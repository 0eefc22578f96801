// sandboxd's HTTP server: the control routes behind the guard.
import type { TSchema } from "@sinclair/typebox";
import { Errors } from "@sinclair/typebox/errors";
import type { FastifyInstance, FastifyRequest, FastifySchema } from "fastify";
import type { Access } from "../http/guard.ts";
import { createServer, type ServerOptions } from "../http/server.ts";
import { SandboxError } from "../protocol/errors.ts";
import { foundText } from "../protocol/found-text.ts";
import type { ControlRoute } from "./control-route.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Who may use the route. */
    access?: Access | undefined;
  }
}

/** Reading is open to all but functions, without CORS; changes are closed to web pages. */
function accessOf(request: FastifyRequest): Access {
  const { access } = request.routeOptions.config;
  if (access !== undefined) return access;
  return ["GET", "HEAD", "OPTIONS"].includes(request.method) ? "local" : "own-site";
}

/** A server with the routes, not listening yet. */
export function createControlServer(
  routes: readonly ControlRoute[],
  options: Pick<ServerOptions, "log" | "allowedHosts" | "adminSecret">,
): FastifyInstance {
  const server = createServer({ ...options, name: "sandboxd", access: accessOf });
  // The schemas that document a route also validate its body, without a compiler at start-up.
  server.setValidatorCompiler(({ schema, httpPart }) => (data: unknown) => {
    const problem = Errors(schema as TSchema, [], data).First();
    if (!problem) return { value: data };
    const at = `${httpPart ?? "body"}${problem.path}`;
    return {
      error: new SandboxError("BAD_REQUEST", {
        at,
        found: foundText(problem.value),
        expected: problem.message.replace(/^Expected /, ""),
      }),
    };
  });
  server.setSerializerCompiler(() => (data: unknown) => JSON.stringify(data));
  for (const route of routes) {
    server.route({
      method: route.method,
      url: route.url,
      config: { access: route.access },
      schema: route.body ? ({ body: route.body } satisfies FastifySchema) : {},
      handler: route.handle,
    });
  }
  return server;
}
