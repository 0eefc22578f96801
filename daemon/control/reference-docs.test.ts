import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { configSchema } from "../config/schema.ts";
import { ERRORS } from "../protocol/error-table.ts";
import { referenceDocs } from "./reference-docs.ts";
import { controlRoutes } from "./routes.ts";

const ROOT = join(import.meta.dirname, "../..");
const docs = referenceDocs();

it.each(Object.keys(docs))("%s is up to date (node tools/docs.mjs writes it)", (path) => {
  expect(readFileSync(join(ROOT, path), "utf8")).toBe(docs[path]);
});

it("describes every route, every key and every error", () => {
  for (const { method, url } of controlRoutes({} as never)) {
    expect(docs["docs/http-api.md"]).toContain(`## ${String(method)} ${url}\n`);
  }
  for (const key of Object.keys(configSchema.properties))
    expect(docs["docs/configuration.md"]).toContain(key);
  for (const code of Object.keys(ERRORS)) expect(docs["docs/errors.md"]).toContain(`| \`${code}\` |`);
});
