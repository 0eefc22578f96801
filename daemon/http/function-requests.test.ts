import { expect, it } from "vitest";
import { silentLog } from "../protocol/part.ts";
import { FUNCTION_MARK } from "./function-requests.ts";
import { createServer } from "./server.ts";

const base = { log: silentLog, name: "test", adminSecret: undefined } as const;
const codeOf = (body: string) => (JSON.parse(body) as { error: { code: string } }).error.code;

it("closes the control interface to functions as a whole", async () => {
  const server = createServer({ ...base, access: () => "public", closedToFunctions: true });
  server.get("/config", () => "all of it");
  const headers = { host: "localhost", [FUNCTION_MARK]: "" };
  const refused = await server.inject({ url: "/config", headers });
  expect([refused.statusCode, codeOf(refused.body)]).toEqual([403, "FORBIDDEN_FUNCTION"]);
  expect((await server.inject({ url: "/config", headers: { host: "localhost" } })).statusCode).toBe(200);
});

it.each(["/admin/hold", "/%61dmin/hold", "/guarded", "/nowhere", "/%2561dmin/hold", "//admin/hold"])(
  "closes %s of a public server to functions",
  async (url) => {
    const server = createServer({
      ...base,
      access: (request) => (request.url === "/guarded" ? "own-site" : "public"),
    });
    server.post("/admin/hold", () => "held");
    server.post("/guarded", () => "done");
    server.post("/public", () => "open");
    const headers = { host: "localhost", [FUNCTION_MARK]: "1" };
    const refused = await server.inject({ method: "POST", url, headers });
    expect([refused.statusCode, codeOf(refused.body)]).toEqual([403, "FORBIDDEN_FUNCTION"]);
    expect((await server.inject({ method: "POST", url: "/public", headers })).statusCode).toBe(200);
  },
);
