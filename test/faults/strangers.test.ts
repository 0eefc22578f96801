// Requests of strangers against every route of every server: foreign hosts, foreign web pages, rebinding.
import { readFileSync, statSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS } from "../../daemon/protocol/constants.ts";
import { randomSecretKey } from "../../daemon/tezos/keys.ts";
import { type BuiltCli, type ReadyLine, startedSandbox } from "../support/built-cli.ts";
import { ownerOf } from "../support/processes.ts";

let cli: BuiltCli;
let ready: ReadyLine;
beforeAll(async () => {
  ({ cli, ready } = await startedSandbox());
});
afterAll(() => cli.dispose());

/** Status of a request with headers that `fetch` does not allow. */
function statusOf(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** All routes of a server, from its own document. */
async function routesOf(base: string): Promise<{ method: string; url: string }[]> {
  const { paths } = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApi;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      url: `${base}${path.replace(/\{\w+\}/g, "x")}`,
    })),
  );
}

it("rejects a foreign Host on every route of all three servers", async () => {
  const layer1 = [
    "/chains/main/blocks/head",
    "/injection/operation",
    "/admin/bake",
    "/global/block/0",
    "/local/outbox",
    "/local/batcher/injection",
    "/nowhere",
  ];
  const routes = [
    ...(await routesOf(ready.sandboxd)),
    ...(await routesOf(ready.runtime)),
    ...layer1.flatMap((path) => ["GET", "POST"].map((method) => ({ method, url: `${ready.layer1}${path}` }))),
  ];
  expect(routes.length).toBeGreaterThan(30);
  for (const { method, url } of routes) {
    const port = new URL(url).port;
    expect(await statusOf(url, method, { host: `evil.example:${port}` }), `${method} ${url}`).toBe(403);
  }
});

/** The chain's history is for everybody to read; to subscribe to it begins with a POST. */
const isHistory = (url: string): boolean => new URL(url).pathname.startsWith("/tzkt/v1/");

it("rejects changes from a foreign web page, and stays up", async () => {
  const writes = (await routesOf(ready.sandboxd)).filter(
    ({ method, url }) => method !== "GET" && method !== "HEAD" && !isHistory(url),
  );
  expect(writes.map(({ url }) => new URL(url).pathname)).toContain("/shutdown");
  const foreign: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { origin: "https://evil.example", "content-type": "text/plain" },
  ];
  // The router decodes escapes in paths, so the guard must too.
  const actions = ["bake", "pause", "resume", "jump", "snapshot", "restore"];
  const paths = [...actions.map((action) => `admin/${action}`), "%61dmin/bake", "admin%2fbake"];
  const ofRuntime = ["admin/hold", "admin/snapshot", "admin/restore", "admin/release", "%61dmin/hold"];
  const admin = [
    ...paths.map((path) => `${ready.layer1}/${path}`),
    ...ofRuntime.map((path) => `${ready.runtime}/${path}`),
  ].map((url) => ({ method: "POST", url }));
  for (const { method, url } of [...writes, ...admin]) {
    for (const headers of foreign) {
      expect(await statusOf(url, method, headers, "{}"), `${method} ${url}`).toBe(403);
    }
  }
  expect((await fetch(`${ready.sandboxd}/health`)).status).toBe(200);
});

/**
 * Signing for the bootstrap accounts, whose keys are public, is open to everybody on this machine; for others it is not.
 * So is the explorer's question for sources, which test/explorer/routes.test.ts asks under all names.
 */
const OPEN_HERE = /\/(contract_call|runtime\/operations|explorer\/api\/places)$/;

it("rejects admin requests without the owner's secret, in any spelling", async () => {
  const ruling = (await routesOf(ready.sandboxd)).filter(
    ({ method, url }) =>
      !["GET", "HEAD"].includes(method) &&
      !/\/shutdown$/.test(new URL(url).pathname) &&
      !OPEN_HERE.test(new URL(url).pathname) &&
      !isHistory(url),
  );
  expect(ruling.length).toBeGreaterThan(7);
  const actions = ["bake", "pause", "resume", "jump", "snapshot", "restore", "chain", "anything"];
  const layer1 = [
    ...actions.map((action) => `admin/${action}`),
    "%61dmin/bake",
    "admin%2fbake",
    "local/outbox",
    "local/outbox/",
    "admin/bake/",
  ];
  const runtime = ["hold", "snapshot", "restore", "release", "x"].flatMap((action) => [
    `admin/${action}`,
    `%61dmin/${action}`,
  ]);
  const paths = [
    ...layer1.map((path) => `${ready.layer1}/${path}`),
    ...runtime.map((path) => `${ready.runtime}/${path}`),
  ].map((url) => ({ method: "POST", url }));
  for (const { method, url } of [...ruling, ...paths]) {
    for (const authorization of ["", "Bearer ", "Bearer undefined", `Bearer ${"0".repeat(64)}`])
      expect(await statusOf(url, method, { authorization }, "{}"), `${method} ${url}`).toBe(403);
  }
});

it("exposes the owner's secret only to this user's programs, in the record and as JSON", async () => {
  const status = await cli.functez(["sandbox", "status", "--json"]);
  const { adminSecret } = JSON.parse(status.stdout) as { adminSecret: string };
  expect(adminSecret).toMatch(/^[0-9a-f]{64}$/);
  const record = join(cli.configHome, "functez", "run", `sandboxd-${new URL(ready.sandboxd).port}.json`);
  expect(readFileSync(record, "utf8")).toContain(adminSecret);
  if (process.platform !== "win32") expect(statSync(record).mode & 0o777).toBe(0o600);
  const authorization = `Bearer ${adminSecret}`;
  expect(await statusOf(`${ready.sandboxd}/layer1/bake`, "POST", { authorization })).toBe(200);
  expect(await statusOf(`${ready.runtime}/admin/release`, "POST", { authorization })).toBe(200);
  expect((await cli.functez(["sandbox", "status"])).stdout).not.toContain(adminSecret);
  for (const path of [
    "config/",
    "config/layer1_node",
    "config/runtime_node",
    "health",
    "openapi.json",
    "accounts",
  ])
    expect(await (await fetch(`${ready.sandboxd}/${path}`)).text()).not.toContain(adminSecret);
});

it("signs with public keys for all, and with the owner's keys only for the owner", async () => {
  const own = await startedSandbox({
    layer1_node: {
      bootstrap_accounts: [{ label: "mine", key: randomSecretKey().text, balance: "1000000" }],
    },
  });
  try {
    const call = (headers: Record<string, string>) =>
      fetch(`${own.ready.sandboxd}/contract_call`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({
          from: "mine",
          contract: BRIDGE_ADDRESS,
          amount: 0.1,
          entrypoint: "deposit",
          arg: `"${BOOTSTRAP_ACCOUNTS[1].address}"`,
        }),
      });
    const refused = await call({});
    expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: "OWNER_ONLY" } }]);
    expect((await call(ownerOf(own.cli, own.ready))).status).toBe(200);
  } finally {
    await own.cli.dispose();
  }
});

it("rejects a second Host header on all three servers", async () => {
  for (const base of [ready.sandboxd, ready.layer1, ready.runtime]) {
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    socket.end(`GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
    const answer = await new Response(Readable.toWeb(socket) as ReadableStream).text();
    expect([answer.split("\r\n")[0], answer.includes("FORBIDDEN_HOST")], base).toEqual([
      "HTTP/1.1 403 Forbidden",
      true,
    ]);
  }
});

it.each(["/events?lifeline=1", "/events", "/logs"])("gives no web page the stream %s", async (path) => {
  for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }])
    expect(await statusOf(`${ready.sandboxd}${path}`, "GET", headers)).toBe(403);
  const { lifelines } = (await (await fetch(`${ready.sandboxd}/health`)).json()) as { lifelines: number };
  expect(lifelines).toBe(1); // only its standard input
});

it("allows no web page of another origin to read the control interface", async () => {
  const answer = await fetch(`${ready.sandboxd}/config/`, { headers: { origin: "https://evil.example" } });
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
});

it("lets web pages read the public interfaces of the parts", async () => {
  for (const url of [`${ready.layer1}/chains/main/chain_id`, `${ready.runtime}/mode`]) {
    const answer = await fetch(url, { headers: { origin: "https://dapp.example" } });
    expect([answer.status, answer.headers.get("access-control-allow-origin")], url).toEqual([200, "*"]);
  }
});

it("never shows a secret key in the configuration", async () => {
  const text = await (await fetch(`${ready.sandboxd}/config/`)).text();
  expect(text).not.toMatch(/edsk|spsk|p2sk/);
});

it("answers unknown routes and invalid bodies in its own error format", async () => {
  const codeOf = async (answer: Response) =>
    ((await answer.json()) as { error: { code: string } }).error.code;
  expect(await codeOf(await fetch(`${ready.sandboxd}/nowhere`))).toBe("NOT_FOUND");
  expect(await codeOf(await fetch(`${ready.sandboxd}/config/baker`))).toBe("UNKNOWN_CONFIG_TYPE");
  expect(await codeOf(await fetch(`${ready.sandboxd}/l1_alias/nobody`))).toBe("UNKNOWN_BOOTSTRAP");
  const post = (body: string) =>
    fetch(`${ready.sandboxd}/contract_call`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
  expect(await codeOf(await post("{"))).toBe("BAD_REQUEST");
  expect(await codeOf(await post('{"from":1}'))).toBe("BAD_REQUEST");
  expect(await codeOf(await post(`"${"x".repeat(2_000_000)}"`))).toBe("BODY_TOO_LARGE");
});
