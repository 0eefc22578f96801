import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CallRequest, CallResponse } from "../call/http-message.ts";
import { bodyBytes } from "../call/http-message.ts";
import { isPublicAddress } from "./address-guard.ts";
import type { OutsideOptions } from "./open-requests.ts";
import { createOracle, type OracleOptions } from "./oracle.ts";

let server: Server;
let port: number;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let asked: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked = [];
  answer = (_request, response) => response.end("ok");
});

const names: Record<string, string> = {
  "api.example": "127.0.0.1",
  "public.example": "93.184.216.34",
  "mixed.example": "127.0.0.1",
};

const waiting: OutsideOptions = { signal: new AbortController().signal, hold: () => true };

function oracle(options: Partial<OracleOptions> = {}) {
  const made = createOracle({
    enabled: true,
    allowPrivate: false,
    allowedHosts: [],
    timeoutMs: 5_000,
    ownEndpoint: () => "http://127.0.0.1:1",
    wellKnownPort: 8933,
    resolve: (host) => {
      const address = names[host];
      if (address === undefined) return Promise.reject(new Error(`ENOTFOUND ${host}`));
      const mixed = host === "mixed.example" ? [{ address: "93.184.216.34", family: 4 }] : [];
      return Promise.resolve([...mixed, { address, family: 4 }]);
    },
    ...options,
  });
  return {
    ask: (request: CallRequest, outside: Partial<OutsideOptions> = {}): Promise<CallResponse> =>
      made.ask(request, { ...waiting, ...outside }),
  };
}

const get = (url: string, other: Partial<CallRequest> = {}): CallRequest => ({
  url,
  method: "GET",
  headers: [],
  body: null,
  ...other,
});
const text = (response: CallResponse): string => Buffer.from(bodyBytes(response.body) ?? []).toString();
const open = { allowedHosts: ["api.example"] };

describe("public addresses", () => {
  it.each(["93.184.216.34", "8.8.8.8", "2606:4700::1111"])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "ff02::1",
    "2002:7f00:1::",
    "2001::1",
    "nonsense",
  ])("%s is not public", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("requests to the outside", () => {
  it("pass answers on unchanged", async () => {
    answer = (_request, response) => response.writeHead(418, { "x-a": "b" }).end("short and stout");
    const response = await oracle(open).ask(get(`http://api.example:${port}/pot?x=1`));
    expect([response.status, text(response)]).toEqual([418, "short and stout"]);
    expect(response.headers).toContainEqual(["x-a", "b"]);
    expect(asked).toEqual([`GET api.example:${port} /pot?x=1`]);
  });

  it.each([
    "http://127.0.0.1",
    "http://[::1]",
    "http://2130706433",
    "http://0x7f.1",
    "http://localhost",
    "http://api.example",
    "http://mixed.example",
  ])("to %s are refused, and nothing is sent", async (base) => {
    names["localhost"] = "127.0.0.1";
    expect((await oracle().ask(get(`${base}:${port}/`))).status).toBe(403);
    expect(asked).toEqual([]);
  });

  it("are refused when a redirect leads inside", async () => {
    answer = (_request, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end();
    const response = await oracle(open).ask(get(`http://api.example:${port}/`));
    expect(response.status).toBe(403);
    expect(asked).toHaveLength(1);
  });

  it("follow redirects, and a POST becomes a GET after 303", async () => {
    answer = (request, response) => {
      if (request.url === "/a") response.writeHead(303, { location: "/b" }).end();
      else response.end(`${request.method} ${request.headers["content-type"] ?? "-"}`);
    };
    const headers = [["content-type", "text/plain"]] as const;
    const response = await oracle(open).ask(
      get(`http://api.example:${port}/a`, { method: "POST", body: "x", headers }),
    );
    expect(text(response)).toBe("GET -");
  });

  it("stop following redirects that never end", async () => {
    answer = (_request, response) => response.writeHead(307, { location: "/" }).end();
    expect((await oracle(open).ask(get(`http://api.example:${port}/`, { method: "POST" }))).status).toBe(502);
  });

  it("may reach private addresses when the configuration allows it", async () => {
    expect((await oracle({ allowPrivate: true }).ask(get(`http://127.0.0.1:${port}/`))).status).toBe(200);
  });

  it("to localhost and the well-known port reach the runtime itself", async () => {
    const own = oracle({ ownEndpoint: () => `http://127.0.0.1:${port}` });
    expect((await own.ask(get("http://localhost:8933/mode"))).status).toBe(200);
    expect((await own.ask(get(`http://127.0.0.1:${port}/mode`))).status).toBe(200);
    expect(asked.map((line) => line.split(" ")[2])).toEqual(["/mode", "/mode"]);
  });

  describe("to the runtime itself", () => {
    const own = () => oracle({ ownEndpoint: () => `http://127.0.0.1:${port}`, allowPrivate: true });
    const hash = "ab".repeat(32);
    const account = "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ";

    it.each([
      "/mode",
      "/operations",
      `/operations/${hash}/receipt`,
      `/accounts/${account}`,
      `/accounts/${account}/kv?key=../admin/hold`,
      `/logs/${account}/persistent/requests?limit=1`,
    ])("reach %s", async (path) => {
      expect((await own().ask(get(`http://localhost:8933${path}`))).status).toBe(200);
    });

    it.each([
      "/admin/hold",
      "/ADMIN/hold",
      "//admin/hold",
      "/admin//hold",
      "/%61dmin/hold",
      "/%2561dmin/hold",
      "/admin%2fhold",
      "/mode/../admin/hold",
      "/mode/%2e%2e/admin/hold",
      "/mode/..;/admin/hold",
      "/./admin/hold",
      "\\admin\\hold",
      "/admin/hold/",
      "/admin/hold?x=/mode",
      "/admin/hold#/mode",
      "/mode/",
      "/mode%00",
      `/accounts/${account}%2f..%2f..%2fadmin%2fhold`,
      `/accounts/${account}/kv/../../../admin/hold`,
      `/logs/${account}/stream`,
      "/operations/stream",
      "/scalar",
      "/local/outbox",
      "/shutdown",
      "/",
    ])("never reach %s", async (path) => {
      for (const base of [
        "http://localhost:8933",
        "http://u:p@LOCALHOST:8933",
        `http://127.1:${port}`,
        `http://[::1]:${port}`,
        "http://0x7f000001:8933",
      ]) {
        expect((await own().ask(get(base + path))).status, base).toBe(403);
      }
      expect(asked).toEqual([]);
    });

    it("never reach it through a redirect", async () => {
      answer = (_request, response) =>
        response.writeHead(307, { location: `http://localhost:8933/admin/hold` }).end();
      expect((await own().ask(get("http://localhost:8933/mode", { method: "POST" }))).status).toBe(403);
      expect(asked).toHaveLength(1);
    });

    it("carry the mark of a function and no credentials of the owner", async () => {
      let seen: IncomingMessage["headers"] = {};
      answer = (request, response) => {
        seen = request.headers;
        response.end();
      };
      const headers = [
        "authorization",
        "cookie",
        "origin",
        "host",
        "forwarded",
        "x-forwarded-for",
        "sec-fetch-site",
        "X-Functez-Owner",
        "x-functez-function",
        "proxy-authorization",
        "via",
        "x-kept",
      ].map((name) => [name, "guest"] as const);
      await own().ask(get("http://localhost:8933/mode", { headers }));
      expect(Object.entries(seen).filter(([, value]) => value === "guest")).toEqual([["x-kept", "guest"]]);
      expect(seen["x-functez-function"]).toBe("1");
    });
  });

  it.each(["CONNECT", "TRACE", "track"])("with the method %s are refused", async (method) => {
    expect((await oracle(open).ask(get(`http://api.example:${port}/`, { method }))).status).toBe(403);
    expect(asked).toEqual([]);
  });

  it("are aborted when the answer is no longer needed", async () => {
    const abort = new AbortController();
    let gone: () => void;
    const cut = new Promise<void>((resolve) => (gone = resolve));
    answer = (request) => {
      request.socket.once("close", () => gone());
      abort.abort();
    };
    await oracle(open).ask(get(`http://api.example:${port}/`), { signal: abort.signal });
    await cut;
  });

  it.each([true, false])(
    "answer 503 once when there is no room for the answer (length announced: %s)",
    async (isTold) => {
      answer = (_request, response) => {
        if (isTold) response.setHeader("content-length", 2);
        response.write("o");
        response.end("k");
      };
      const hold = (bytes: number): boolean => bytes <= 1;
      expect((await oracle(open).ask(get(`http://api.example:${port}/`), { hold })).status).toBe(503);
      expect(asked).toHaveLength(1);
    },
  );

  it("answer 408 on a timeout", async () => {
    answer = () => undefined;
    const response = await oracle({ ...open, timeoutMs: 50 }).ask(get(`http://api.example:${port}/`));
    expect([response.status, text(response)]).toEqual([408, "Oracle request timed out"]);
  });

  it("answer 502 when the network fails, after retries where they are harmless", async () => {
    answer = (request) => request.socket.destroy();
    expect((await oracle(open).ask(get(`http://api.example:${port}/`))).status).toBe(502);
    expect(asked).toHaveLength(5);
    asked = [];
    expect(
      (await oracle(open).ask(get(`http://api.example:${port}/`, { method: "POST", body: "x" }))).status,
    ).toBe(502);
    expect(asked).toHaveLength(1);
    expect((await oracle().ask(get("http://unknown.example/"))).status).toBe(502);
  });

  it("answer 502 for an answer without end", async () => {
    answer = (request, response) => {
      const chunk = Buffer.alloc(1024 * 1024);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        response.once("drain", more);
      };
      more();
      request.socket.once("close", () => response.destroy());
    };
    expect((await oracle(open).ask(get(`http://api.example:${port}/`, { method: "POST" }))).status).toBe(502);
  });

  it("answer 403 when they are switched off", async () => {
    expect((await oracle({ ...open, enabled: false }).ask(get(`http://api.example:${port}/`))).status).toBe(
      403,
    );
    expect(asked).toEqual([]);
  });

  it("carry the function's headers, but never another Host", async () => {
    answer = (request, response) =>
      response.end(
        JSON.stringify([request.headers["x-a"], request.headers.host, request.headers["user-agent"]]),
      );
    const headers = [
      ["x-a", "1"],
      ["host", "evil.example"],
      ["connection", "close"],
    ] as const;
    const response = await oracle(open).ask(get(`http://api.example:${port}/`, { headers }));
    expect(JSON.parse(text(response))).toEqual(["1", `api.example:${port}`, "functez-oracle/0.1"]);
  });
});

describe("whatever happens outside, an answer comes", () => {
  it("when the server switches to another protocol", async () => {
    const raw = createServer().on("connection", (socket) =>
      socket.once("data", () =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"),
      ),
    );
    await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
    const { port: rawPort } = raw.address() as AddressInfo;
    const response = await oracle(open).ask(get(`http://api.example:${rawPort}/`, { method: "POST" }));
    expect([response.status, text(response)]).toEqual([
      502,
      expect.stringContaining("ended the connection without an answer"),
    ]);
    raw.close();
  });

  it("when the name server is silent", async () => {
    const silent = oracle({ timeoutMs: 50, resolve: () => new Promise(() => undefined) });
    expect((await silent.ask(get("http://api.example/"))).status).toBe(408);
  });
});
