import { expect, it } from "vitest";
import { handlerOffset } from "./code-lens.ts";

it.each([
  "export default function handler(request: Request) {}",
  "const x = 1;\nexport default async (request) => new Response();",
  "const handler = (request: Request) => fetch(request);\nexport { handler as default };",
])("finds the handler of %j", (text) => {
  expect(text.slice(handlerOffset("/a/index.ts", text))).toMatch(/^export/);
});

it.each([
  ["/a/index.ts", "export function handler(request: Request) {}"],
  ["/a/index.ts", "export default { port: 1 };"],
  ["/a/index.test.ts", "export default (request: Request) => new Response();"],
  ["/a/vite.config.ts", "export default (request: Request) => new Response();"],
  ["/a/types.d.ts", "export default Response;"],
])("shows nothing in %s with %j", (path, text) => {
  expect(handlerOffset(path, text)).toBeUndefined();
});
