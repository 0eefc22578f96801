// The resources: documents and types of the package, the runtime's API, operations.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
}

export const DOCUMENT = "functez://docs/";
export const TYPES = "functez://types/runtime.d.ts";
export const OPENAPI = "functez://openapi";
export const OPERATIONS = "functez://operations";
export const OPERATION = "functez://operation/";

export const OPERATION_TEMPLATE = {
  uriTemplate: `${OPERATION}{hash}`,
  name: "operation",
  title: "Call tree of an operation",
  mimeType: "text/plain",
} as const;

/** @param distFolder of the package; the editor's has fewer documents */
export function listResources(distFolder: string): Resource[] {
  const documents = documentsOf(distFolder).map(({ name, path }) => ({
    uri: `${DOCUMENT}${name}`,
    name,
    title: /^# (.+)$/m.exec(readFileSync(path, "utf8"))?.[1] ?? name,
    mimeType: "text/markdown",
  }));
  const { mimeType } = OPERATION_TEMPLATE;
  return [
    ...documents,
    {
      uri: TYPES,
      name: "runtime.d.ts",
      title: "Types of smart functions",
      mimeType: "application/typescript",
    },
    { uri: OPENAPI, name: "openapi", title: "HTTP API of the runtime", mimeType: "application/json" },
    { uri: OPERATIONS, name: "operations", title: "Latest operations", mimeType },
  ];
}

/** Documents of the package: name in the resource URI, and path. */
export function documentsOf(distFolder: string): { readonly name: string; readonly path: string }[] {
  const root = resolve(distFolder, "..");
  const folder = join(root, "docs");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".md")) : [];
  return [
    { name: "README.md", path: join(root, "README.md") },
    ...names.sort().map((name) => ({ name, path: join(folder, name) })),
  ].filter(({ path }) => existsSync(path));
}
