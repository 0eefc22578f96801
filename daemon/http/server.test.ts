import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, expect, it } from "vitest";
import { silentLog } from "../parts/log.ts";
import { errorInBody } from "../protocol/errors.ts";
import { FUNCTION_MARK } from "./guard.ts";
import { createServer } from "./server.ts";
import { startServer } from "./test-server.ts";

const server = createServer({
  log: silentLog,
  name: "test",
  access: () => "own-site",
  adminSecret: undefined,
});
server.post("/", () => "taken");
server.get("/mistake", () => {
  throw new TypeError("a mistake of ours");
});
afterAll(() => server.close());

const codeOf = (answer: { body: string }) =>
  (JSON.parse(answer.body) as { error: { code: string } }).error.code;

it.each(["/%", "/%ff", "/a/%E0%A4%A"])("answers the malformed path %s in its own error form", async (url) => {
  const answer = await server.inject({ method: "GET", url, headers: { host: "127.0.0.1" } });
  expect([answer.statusCode, codeOf(answer)]).toEqual([400, "BAD_REQUEST"]);
});

it("answers a bug of its own with INTERNAL, without details", async () => {
  const answer = await server.inject({ method: "GET", url: "/mistake", headers: { host: "127.0.0.1" } });
  expect(errorInBody(answer.body)).toMatchObject({ code: "INTERNAL", status: 500 });
  expect(answer.body).not.toContain("a mistake of ours");
});

it("refuses a path that does not exist before its body arrives", async () => {
  const listening = await startServer(() => undefined);
  const { hostname, port } = listening.base;
  const socket = connect(Number(port), hostname);
  const head = `POST /nowhere HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\n`;
  socket.write(`${head}content-length: 1000000\r\n\r\n{`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 404 [^]*NOT_FOUND/);
  socket.destroy();
  await listening.server.close();
});

it("guards malformed paths as well", async () => {
  const answer = await server.inject({ method: "GET", url: "/%ff", headers: { host: "evil.example" } });
  expect([answer.statusCode, codeOf(answer)]).toEqual([403, "FORBIDDEN_HOST"]);
});

it.each(["/admin/hold", "/%61dmin/hold", "/guarded"])(
  "closes %s of a public server to functions",
  async (url) => {
    const open = createServer({
      log: silentLog,
      name: "test",
      adminSecret: undefined,
      access: ({ routeOptions }) =>
        routeOptions.url?.startsWith("/admin/") || routeOptions.url === "/guarded" ? "own-site" : "public",
    });
    for (const path of ["/admin/hold", "/guarded", "/public"]) open.post(path, () => "done");
    const headers = { host: "localhost", [FUNCTION_MARK]: "1" };
    const refused = await open.inject({ method: "POST", url, headers });
    expect([refused.statusCode, codeOf(refused)]).toEqual([403, "FORBIDDEN_FUNCTION"]);
    expect((await open.inject({ method: "POST", url: "/public", headers })).statusCode).toBe(200);
    await open.close();
  },
);
