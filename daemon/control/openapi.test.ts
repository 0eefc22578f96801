import { expect, it } from "vitest";
import { openapiOf } from "./openapi.ts";
import { controlRoutes } from "./routes.ts";

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required: boolean }[];
  readonly security?: unknown;
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: object }>>;
}
interface Document {
  readonly openapi: string;
  readonly components: { readonly schemas: object };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const routes = controlRoutes({} as never); // describing the routes uses no context
const document = JSON.parse(JSON.stringify(openapiOf(routes))) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

it("describes each route once, with a description of each response", () => {
  expect(operations).toHaveLength(routes.length);
  for (const { operation } of operations)
    for (const { description } of Object.values(operation.responses)) expect(description).toMatch(/\.$/);
});

it("lists exactly the parameters of each path, as required", () => {
  for (const { path, operation } of operations) {
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    expect(inPath.every(({ required }) => required)).toBe(true);
  }
});

it("marks the routes of the owner", () => {
  const owned = operations.filter(({ operation }) => operation.security !== undefined);
  expect(owned.map(({ path }) => path)).toContain("/snapshots/{id}/restore");
  expect(owned).toHaveLength(routes.filter(({ access }) => access === "owner").length);
});

it("refers only to its own definitions, and gives the media type of streams and texts", () => {
  const refs = JSON.stringify(document).match(/"#\/components\/schemas\/\w+"/g) ?? [];
  expect(new Set(refs)).toEqual(new Set(['"#/components/schemas/Error"']));
  expect(Object.keys(document.components.schemas)).toEqual(["Error"]);
  const typeOf = (path: string): string[] =>
    Object.keys(document.paths[path]!["get"]!.responses["200"]!.content!);
  expect(typeOf("/events")).toEqual(["text/event-stream"]);
  expect(typeOf("/health")).toEqual(["application/json"]);
});
