import { expect, it } from "vitest";
import { processorTime } from "../../test/support/processor-time.ts";
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

it("scans hostile files quickly", () => {
  const hostile = ["export { ", "export ", "\nexport { a as ", "\n\t \t "].map(
    (text) => `Request\n${text.repeat(1_900_000 / text.length)}`,
  );
  const started = processorTime();
  for (const text of hostile) expect(handlerOffset("/a/index.ts", text)).toBeUndefined();
  expect(handlerOffset("/a/index.ts", `Request\nexport default ${"x".repeat(2_000_000)}`)).toBeUndefined();
  expect(processorTime() - started).toBeLessThan(3_000); // about 100 ms; many minutes without bounds
});
