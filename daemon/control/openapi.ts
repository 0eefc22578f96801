// The OpenAPI document of sandboxd, built from the route table: the schemas shown are the ones that validate.
import type { TSchema } from "@sinclair/typebox";
import { VERSION } from "../protocol/constants.ts";
import { errorSchema } from "../protocol/sandbox-api.ts";
import type { ControlRoute, RouteResponse } from "./control-route.ts";

type Json = Readonly<Record<string, unknown>>;

const ERROR = { $ref: "#/components/schemas/Error" };

/** OpenAPI 3.1 document of the routes: its schemas are JSON schemas, as ours are. */
export function openapiOf(routes: readonly ControlRoute[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[String(route.method).toLowerCase()] = operationOf(route);
  }
  return {
    openapi: "3.1.0",
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
      schemas: { Error: errorSchema },
    },
    paths,
  };
}

function operationOf({ summary, access, params, querystring, body, responses }: ControlRoute): Json {
  const parameters = [...parametersOf("path", params), ...parametersOf("query", querystring)];
  return {
    summary,
    ...(access === "owner" && { security: [{ owner: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: { "application/json": { schema: body } } } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, responseOf(response)]),
    ),
  };
}

function responseOf({ description, schema, contentType }: RouteResponse): Json {
  if (schema === undefined && contentType === undefined) return { description };
  const shape = schema === errorSchema ? ERROR : schema;
  const content = { [contentType ?? "application/json"]: shape === undefined ? {} : { schema: shape } };
  return { description, content };
}

/** The parameters of a path or a query, from the object schema that describes them. */
function parametersOf(place: "path" | "query", schema: TSchema | undefined): Json[] {
  const properties = Object.entries((schema?.["properties"] ?? {}) as Record<string, TSchema>);
  const required = (schema?.["required"] ?? []) as readonly string[];
  return properties.map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description !== undefined && { description: description }),
    schema: rest,
  }));
}
