// The reference documents generated from the code: docs/http-api.md, docs/configuration.md, docs/errors.md,
// docs/runtime-differences.md. `node
// tools/docs.mjs` writes them; a test fails when one is out of date.
import type { TSchema } from "@sinclair/typebox";
import { configSchema } from "../config/schema.ts";
import { ERRORS } from "../protocol/error-table.ts";
import type { ControlRoute, RouteResponse } from "./control-route.ts";
import { code, generatedNotice, table } from "./markdown.ts";
import { controlRoutes } from "./routes.ts";
import { runtimeDifferences } from "./runtime-differences.ts";

/** Path of each document and its text. */
export function referenceDocs(): Readonly<Record<string, string>> {
  return {
    "docs/http-api.md": httpApi(),
    "docs/configuration.md": configuration(),
    "docs/errors.md": errors(),
    "docs/runtime-differences.md": runtimeDifferences(),
  };
}

/** A schema in words. */
function typeOf(schema: TSchema): string {
  const options = schema["anyOf"] as readonly TSchema[] | undefined;
  if (options) return options.map(typeOf).join(" or ");
  if (schema["const"] !== undefined) return code(JSON.stringify(schema["const"]));
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  const range =
    minimum === undefined && maximum === undefined
      ? ""
      : maximum === undefined
        ? `, at least ${minimum}`
        : `, ${minimum ?? 0} to ${maximum}`;
  switch (schema["type"]) {
    case "array":
      return `list of ${typeOf(schema["items"] as TSchema)}`;
    case "object":
      return "object";
    case "integer":
      return `whole number${range}`;
    case "number":
      return `number${range}`;
    case "string":
      return schema["format"] === "endpoint" ? "text (endpoint)" : "text";
    default:
      return String(schema["type"] ?? "any value");
  }
}

interface Field {
  readonly path: string;
  readonly schema: TSchema;
  readonly required: boolean;
}

/** All fields of an object schema, including those of nested objects and lists. */
function fieldsOf(schema: TSchema, prefix = ""): Field[] {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, TSchema>>;
  const required = (schema["required"] ?? []) as readonly string[];
  return Object.entries(properties).flatMap(([name, child]) => {
    const path = `${prefix}${name}`;
    const own = { path, schema: child, required: required.includes(name) };
    if (child["type"] === "object") return [own, ...fieldsOf(child, `${path}.`)];
    const items = child["items"] as TSchema | undefined;
    return items?.["type"] === "object" ? [own, ...fieldsOf(items, `${path}[].`)] : [own];
  });
}

function fieldTable(schema: TSchema): string {
  const rows = fieldsOf(schema).map(({ path, schema: field, required }) => [
    code(path),
    `${typeOf(field)}${required ? "" : " (optional)"}`,
    String(field["description"] ?? ""),
  ]);
  return table(["field", "type", "meaning"], rows);
}

/** Media type of a response, or undefined without a body. */
export function contentTypeOf({ contentType, schema }: RouteResponse): string | undefined {
  return contentType ?? (schema ? "application/json" : undefined);
}

function route({ method, url, summary, access, ...rest }: ControlRoute): string {
  const { params, querystring, body, responses } = rest;
  const part = (title: string, schema: TSchema | undefined) =>
    schema ? [`${title}:`, fieldTable(schema)] : [];
  const answers = Object.entries(responses).map(([status, response]) => {
    const type = contentTypeOf(response);
    return [status, type === undefined ? "no body" : code(type), response.description];
  });
  const bodies = Object.entries(responses)
    .filter(([status, { schema }]) => Number(status) < 300 && schema && fieldsOf(schema).length > 0)
    .map(([status, { schema }]) => `Body of ${status}:\n\n${fieldTable(schema!)}`);
  return [
    `## ${String(method)} ${url}`,
    summary,
    ...(access === "owner" ? ["Owner only: 403 `OWNER_ONLY` without the secret."] : []),
    ...part("In the path", params),
    ...part("In the query", querystring),
    ...part("Request body (`application/json`)", body),
    table(["status", "content type", "answer"], answers),
    ...bodies,
  ].join("\n\n");
}

function httpApi(): string {
  // Describing the routes uses no context.
  const routes = controlRoutes({} as Parameters<typeof controlRoutes>[0]);
  return `${[
    generatedNotice("daemon/control/*-routes.ts"),
    "# HTTP interface of sandboxd",
    "The control interface of the sandbox, by default at `http://127.0.0.1:54321`. `GET /openapi.json` serves it as an OpenAPI document. The parts have their own interfaces: layer1_node the Tezos RPC, runtime_node the Jstz node API with its own `/openapi.json`.",
    `Every failure has the body \`{"error":{"code","message","next","data"}}\` with a stable code (docs/errors.md). Any route can also respond with:`,
    "Requests that change time, state or lifetime need the owner's secret: `Authorization: Bearer <adminSecret>`. It is new at each start unless `admin_secret` or `FUNCTEZ_ADMIN_SECRET` sets it; the daemon's record in the configuration folder (mode 0600) contains it, and `functez sandbox status --json` prints it. `PUT /shutdown` needs none. The same secret opens `/admin/` and `POST /local/outbox` of layer1_node, and `/admin/` of runtime_node.",
    table(
      ["status", "code", "when"],
      [
        ["400", "`BAD_REQUEST`", "The request or its body is malformed."],
        [
          "403",
          "`FORBIDDEN_HOST`",
          "The `Host` is neither a loopback name nor in `allowed_hosts`, or there is more than one.",
        ],
        [
          "403",
          "`FORBIDDEN_ORIGIN`",
          "A web page of another origin sent a method other than GET, HEAD or OPTIONS, or opened a stream.",
        ],
        ["404", "`NOT_FOUND`", "No such route."],
        ["408", "`BAD_REQUEST`", "The request did not arrive within its time limit."],
        ["413", "`BODY_TOO_LARGE`", "The body is larger than 1 MiB."],
        ["431", "`BAD_REQUEST`", "The headers or the path are larger than 32 KiB."],
        ["503", "`SHUTTING_DOWN`", "The sandbox is shutting down."],
      ],
    ),
    "Every GET route also answers HEAD.",
    ...routes.map(route),
  ].join("\n\n")}\n`;
}

function configuration(): string {
  const rows = fieldsOf(configSchema)
    .filter(({ schema }) => schema["type"] !== "object")
    .map(({ path, schema }) => [
      code(path),
      typeOf(schema),
      schema["default"] === undefined ? "" : code(JSON.stringify(schema["default"])),
      String(schema["description"] ?? ""),
    ]);
  return `${[
    generatedNotice("daemon/config/schema.ts"),
    "# Configuration of the sandbox",
    '`functez sandbox start --config sandbox.json` or `sandboxd run sandbox.json` reads a JSON file. Every key is optional; the file of a sandbox on other ports is `{"server_port": 0}`. An invalid value is rejected with file, line and column; an unknown key causes a warning with the nearest known one. `dist/config-schema.json` in the package is the JSON schema for editors. Endpoints may be `localhost:3000`, `127.0.0.1:3000`, `[::1]:3000` or `http://127.0.0.1:3000`.',
    table(["key", "type", "default", "meaning"], rows),
    "Files written for jstzd start as well: `octez_node.rpc_endpoint`, `jstz_node.endpoint`, `jstz_node.skipped`, `oracle_node.skipped` and `protocol.bootstrap_accounts` are mapped to our keys; other sections of jstzd have no effect and cause a warning.",
  ].join("\n\n")}\n`;
}

function errors(): string {
  // Placeholder for the data of an error: each field shows its name.
  const names = new Proxy({}, { get: (_target, name) => `<${String(name)}>` }) as never;
  const rows = Object.entries(ERRORS).map(([name, { status, message, next }]) => [
    code(name),
    String(status),
    escape(message(names)),
    escape(next(names)),
  ]);
  return `${[
    generatedNotice("daemon/protocol/error-table.ts"),
    "# Errors",
    'A code never changes its meaning: programs should check codes; texts are for people. The command line shows `ERROR <code>: <message> <next step>`, or `{"error":{…}}` with `--json`.',
    table(["code", "HTTP status", "what happened", "what to do"], rows),
  ].join("\n\n")}\n`;
}

/** Placeholders in angle brackets must not become HTML. */
function escape(text: string): string {
  return text.replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
