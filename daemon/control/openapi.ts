// The OpenAPI document of sandboxd, made from the same schemas that validate. Built on demand: nobody pays for
// it at start-up.
import { NO_COMPILERS } from "../http/server.ts";
import { VERSION } from "../protocol/constants.ts";
import type { ControlRoute } from "./routes.ts";

/** OpenAPI 3 document of the routes. */
export async function openapiOf(routes: readonly ControlRoute[]): Promise<unknown> {
  const [{ default: fastify }, { default: swagger }] = await Promise.all([
    import("fastify"),
    import("@fastify/swagger"),
  ]);
  const server = fastify({ schemaController: NO_COMPILERS });
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => () => "");
  await server.register(swagger, {
    openapi: {
      openapi: "3.0.3",
      info: {
        title: "functez sandboxd",
        version: VERSION,
        description: "Control interface of the local sandbox.",
      },
      components: {
        securitySchemes: {
          owner: {
            type: "http",
            scheme: "bearer",
            description: "`adminSecret` of `functez sandbox status --json`; without it 403 OWNER_ONLY.",
          },
        },
      },
    },
  });
  await server.register(async (scope) => {
    for (const { method, url, summary, access, params, querystring, body, responses } of routes) {
      const response = Object.fromEntries(
        Object.entries(responses).map(([status, { description, schema }]) => [
          status,
          schema ? { ...schema, description } : { type: "null", description },
        ]),
      );
      scope.route({
        method,
        url,
        schema: {
          summary,
          ...(access === "owner" ? { security: [{ owner: [] }] } : {}),
          response,
          ...(params ? { params } : {}),
          ...(querystring ? { querystring } : {}),
          ...(body ? { body } : {}),
        } as object,
        handler: () => undefined,
      });
    }
  });
  await server.ready();
  return server.swagger();
}
