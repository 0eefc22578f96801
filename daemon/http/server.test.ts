import { afterAll, expect, it } from "vitest";
import { silentLog } from "../protocol/part.ts";
import { createServer } from "./server.ts";

const server = createServer({
  log: silentLog,
  name: "test",
  access: () => "own-site",
  adminSecret: undefined,
});
server.post("/", () => "taken");
afterAll(() => server.close());

const codeOf = (answer: { body: string }) =>
  (JSON.parse(answer.body) as { error: { code: string } }).error.code;

it.each(["/%", "/%ff", "/a/%E0%A4%A"])("answers the malformed path %s in its own error form", async (url) => {
  const answer = await server.inject({ method: "GET", url, headers: { host: "127.0.0.1" } });
  expect([answer.statusCode, codeOf(answer)]).toEqual([400, "BAD_REQUEST"]);
});

it("guards malformed paths as well", async () => {
  const answer = await server.inject({ method: "GET", url: "/%ff", headers: { host: "evil.example" } });
  expect([answer.statusCode, codeOf(answer)]).toEqual([403, "FORBIDDEN_HOST"]);
});
