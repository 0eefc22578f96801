// sandboxd's HTTP interface, as specified and as documented in docs/http-api.md.
import { afterAll, beforeAll, expect, it } from "vitest";
import { readEvents } from "../../daemon/client/server-sent-events.ts";
import { contentTypeOf } from "../../daemon/control/reference-docs.ts";
import { controlRoutes } from "../../daemon/control/routes.ts";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { type BuiltCli, builtCli, type ReadyLine, startedSandbox } from "../support/built-cli.ts";
import { ownerOf } from "../support/processes.ts";

let cli: BuiltCli;
let ready: ReadyLine;
beforeAll(async () => {
  ({ cli, ready } = await startedSandbox());
});
afterAll(() => cli.dispose());

const get = async (path: string) =>
  (await fetch(`${ready.sandboxd}${path}`)).json() as Promise<Record<string, unknown>>;

it("serves the configuration whole, by part, and under the spellings of jstzd", async () => {
  const whole = await get("/config/");
  expect(whole).toEqual(await get("/config"));
  expect(whole["server_port"]).toBe(Number(new URL(ready.sandboxd).port));
  expect(await get("/config/layer1_node")).toEqual(whole["layer1_node"]);
  expect(await get("/config/runtime_node")).toEqual(whole["runtime_node"]);
  expect(whole["layer1_node"]).toMatchObject({ rpc_endpoint: ready.layer1.replace("http://", "") });
  expect(await get("/config/octez_node")).toEqual({ rpc_endpoint: ready.layer1 });
  expect(await get("/config/jstz_node")).toMatchObject({ endpoint: ready.runtime });
  expect(whole["octez_client"]).toHaveProperty("base_dir");
});

/** What stands for the `*` of a route. */
const BELOW: Readonly<Record<string, string>> = {
  "/tzkt/v1/*": "head",
  "/explorer/*": "",
  "/explorer/api/layer1/*": "chains/main/chain_id",
  "/explorer/api/runtime/*": "health",
};

/** Values for required query parameters. */
const QUERY: Readonly<Record<string, string>> = { nonce: "0".repeat(64) };

it("answers every GET route with the status and content type of docs/http-api.md", async () => {
  // Those that become a WebSocket answer nothing by HTTP.
  const routes = controlRoutes({} as never).filter(
    ({ method, responses }) => method === "GET" && responses[101] === undefined,
  );
  expect(routes.length).toBeGreaterThan(7);
  for (const { url, querystring, responses } of routes) {
    const required = (querystring?.["required"] ?? []) as readonly string[];
    const query = required.map((name) => `${name}=${QUERY[name]}`).join("&");
    const asked = url
      .replace(":config_type", "layer1_node")
      .replace(":alias", "bootstrap1")
      .replace(":subject", "12")
      .replace(":address", "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ")
      .replace("*", BELOW[url] ?? "");
    const path = `${asked}?${query}`;
    const abort = new AbortController();
    // Some lead people who use a browser elsewhere.
    const headers = { ...ownerOf(cli, ready), accept: responses[302] ? "text/html" : "*/*" };
    const answer = await fetch(`${ready.sandboxd}${path}`, {
      signal: abort.signal,
      headers,
      redirect: "manual",
    });
    const type = answer.headers.get("content-type")?.split(";")[0];
    const status = [200, 204, 302].find((one) => responses[one] !== undefined)!;
    expect([answer.status, type], url).toEqual([status, contentTypeOf(responses[status]!)]);
    abort.abort(); // streams never end
  }
});

it("answers health with every part's state", async () => {
  const answer = await fetch(`${ready.sandboxd}/health`);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    status: "healthy",
    pid: ready.pid,
    parts: [
      { name: "layer1_node", state: "healthy" },
      { name: "runtime_node", state: "healthy" },
    ],
  });
});

it("serves jstzd's alias and contract call routes", async () => {
  const alias = await fetch(`${ready.sandboxd}/l1_alias/bootstrap3`);
  expect(alias.headers.get("content-type")).toMatch(/^text\/plain/);
  expect(await alias.text()).toBe(BOOTSTRAP_ACCOUNTS[3].address);
  const receiver = BOOTSTRAP_ACCOUNTS[4].address;
  const call = await fetch(`${ready.sandboxd}/contract_call`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      from: "bootstrap3",
      contract: "KT1GFiPkkTjd14oHe6MrBPiRh5djzRkVWcni",
      amount: 0.3,
      entrypoint: "deposit",
      arg: `"${receiver}"`,
    }),
  });
  expect([call.status, await call.text()]).toEqual([200, ""]);
  for (;;) {
    const { accounts } = (await get("/accounts")) as {
      accounts: { address: string; runtime_balance: string }[];
    };
    const balance = accounts.find(({ address }) => address === receiver)!.runtime_balance;
    if (balance !== "0") {
      expect(balance).toBe("300000");
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
});

it("streams heads, deposits and balances, and resumes after the last event a reader saw", async () => {
  const abort = new AbortController();
  const seen = new Map<string, Record<string, unknown>>();
  let lastId = "";
  const send = cli.functez([
    "bridge",
    "deposit",
    "--from",
    "bootstrap5",
    "--to",
    "bootstrap0",
    "--amount",
    "2",
  ]);
  for await (const { event, id, data } of readEvents(`${ready.sandboxd}/events`, { signal: abort.signal })) {
    seen.set(event ?? "", JSON.parse(data) as Record<string, unknown>);
    if (id !== undefined) lastId = id;
    if (["head", "deposit", "balances", "part", "status"].every((name) => seen.has(name))) break;
  }
  await send;
  expect(seen.get("deposit")).toMatchObject({ receiver: BOOTSTRAP_ACCOUNTS[0].address, amount: "2000000" });
  abort.abort();
  const resumed = readEvents(`${ready.sandboxd}/events`, {
    headers: { "last-event-id": String(Number(lastId) - 1) },
  });
  const first = await resumed.next();
  expect(first.value?.id).toBe(lastId);
  await resumed.return(undefined);
});

it("passes the layer 1 admin actions on", async () => {
  const level = async () =>
    ((await (await fetch(`${ready.layer1}/chains/main/blocks/head/header`)).json()) as { level: number })
      .level;
  const owner = ownerOf(cli, ready);
  await fetch(`${ready.sandboxd}/layer1/pause`, { method: "POST", headers: owner });
  const before = await level();
  const bake = await fetch(`${ready.sandboxd}/layer1/bake`, {
    method: "POST",
    headers: { "content-type": "application/json", ...owner },
    body: '{"blocks": 5}',
  });
  expect(bake.status).toBe(200);
  expect(await level()).toBe(before + 5);
  await fetch(`${ready.sandboxd}/layer1/resume`, { method: "POST", headers: owner });
});

it("starts with unusable proxy variables", async () => {
  const proxied = builtCli({
    HTTP_PROXY: "http://127.0.0.1:9",
    HTTPS_PROXY: "http://127.0.0.1:9",
    http_proxy: "http://127.0.0.1:9",
    NO_PROXY: "",
  });
  try {
    const daemon = proxied.start("sandboxd", ["run", "--lifeline", "--free-ports", "--json"], {
      stdin: "pipe",
    });
    const own = JSON.parse(await daemon.line(/^\{"ready"/)) as ReadyLine;
    proxied.env["FUNCTEZ_SANDBOX_URL"] = own.sandboxd;
    await proxied.functez(["account", "create", "alice"]);
    expect(
      await proxied.functez(["bridge", "deposit", "--from", "bootstrap1", "--to", "alice", "--amount", "1"]),
    ).toMatchObject({ code: 0 });
  } finally {
    await proxied.dispose();
  }
});
