// Attacks of hostile smart functions: on the host, the local network, other functions' stores, secrets.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createRuntimeClient, type RuntimeClient } from "../../daemon/client/runtime-client.ts";
import { BOOTSTRAP_ACCOUNTS, INJECTOR } from "../../daemon/protocol/constants.ts";
import { parseSecretKey } from "../../daemon/protocol/secret-key.ts";
import { Signer } from "../../daemon/runtime/test-node.ts";
import { randomSecretKey } from "../../daemon/tezos/keys.ts";
import {
  type BuiltCli,
  builtCli,
  type ReadyLine,
  type RunningProcess,
  startedSandbox,
} from "../support/built-cli.ts";
import { ready as readyOf } from "../support/processes.ts";

let cli: BuiltCli;
let daemon: RunningProcess;
let ready: ReadyLine;
let runtime: RuntimeClient;
let alice: Signer;
let stranger: Server;
const reached: string[] = [];
const configured = randomSecretKey();

beforeAll(async () => {
  cli = builtCli({ FUNCTEZ_TEST_SECRET: "only-for-the-host" });
  const file = join(cli.configHome, "sandbox.json");
  const account = { label: "mine", key: configured.text, balance: "1000000" };
  writeFileSync(file, JSON.stringify({ layer1_node: { bootstrap_accounts: [account] } }));
  daemon = cli.start("sandboxd", ["run", file, "--free-ports", "--json", "--log-level", "debug"]);
  ready = await readyOf(daemon);
  cli.env["FUNCTEZ_SANDBOX_URL"] = ready.sandboxd;
  runtime = createRuntimeClient(ready.runtime);
  alice = new Signer(runtime);
  stranger = createServer((request, response) => {
    reached.push(String(request.url));
    response.end("inside");
  });
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  stranger.close();
  await cli.dispose();
});

it("no function reaches loopback, private or metadata addresses, in any spelling", async () => {
  const { port } = stranger.address() as AddressInfo;
  const hosts = [
    "127.0.0.1",
    "localhost",
    "LOCALHOST.",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "user@127.0.0.1",
  ];
  const urls = [
    ...hosts.map((host) => `http://${host}:${port}/`),
    `https://127.0.0.1:${port}/`,
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://100.100.100.200/",
    "http://10.0.0.1/",
    "http://192.168.0.1/",
    `${ready.sandboxd}/shutdown`,
    `${ready.layer1}/admin/bake`,
  ];
  const address = await alice.deploy(`export default async (request) => {
    try {
      const answer = await fetch(await request.text(), { method: "PUT" });
      return new Response(String(answer.status));
    } catch (error) { return new Response("refused: " + error); }
  }`);
  for (const url of urls) {
    const { body } = await alice.run(`jstz://${address}/`, { method: "POST", body: url });
    // A name with a trailing dot does not resolve everywhere.
    const allowed = url.includes("LOCALHOST.") ? /^(403|502)/ : /^(403|refused)/;
    expect(body, url).toEqual(expect.stringMatching(allowed));
  }
  expect(reached).toEqual([]);
  expect((await fetch(`${ready.sandboxd}/health`)).status).toBe(200);
});

it("no function holds, snapshots or restores the ledger, and none acts as the oracle", async () => {
  const caller = await alice.deploy(`export default async (request) => {
    const { url, body } = await request.json();
    const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    return new Response(String(answer.status));
  }`);
  const counter = await alice.deploy(
    `export default () => { Kv.set("n", (Kv.get("n") ?? 0) + 1); return new Response(String(Kv.get("n"))); }`,
  );
  await alice.run(`jstz://${counter}/`);
  const own = new URL(ready.runtime).port;
  for (const base of ["http://localhost:8933", `http://127.0.0.1:${own}`, `http://LOCALHOST:${own}`]) {
    for (const admin of ["/admin", "/%61dmin", "//admin", "/mode/../admin", "/accounts/x/../../admin"]) {
      for (const action of ["hold", "snapshot", "restore", "release"]) {
        const plan = { url: `${base}${admin}/${action}`, body: JSON.stringify({ id: "evil", level: 0 }) };
        const { body } = await alice.run(`jstz://${caller}/`, { method: "POST", body: JSON.stringify(plan) });
        expect(body, plan.url).toBe("403");
      }
    }
  }
  expect((await alice.run(`jstz://${counter}/`)).body).toBe("2");
  const injector = new Signer(runtime, parseSecretKey(INJECTOR.secretKey));
  injector.nonce = await runtime.nonce(injector.address);
  const response = { status: 200, statusText: "OK", headers: [], body: [] };
  const { signed, hash } = injector.sign({ _type: "OracleResponse", requestId: 1n, response });
  const content = { ...signed.inner.content, response: { ...response, status_text: "OK" } };
  await runtime.inject({ ...signed, inner: { ...signed.inner, content } } as never);
  expect((await runtime.waitForReceipt(hash)).result).toEqual({ _type: "Failed", inner: "InvalidInjector" });
});

it("no function sees the host: no process, files, environment, threads or outside code", async () => {
  const { body } = await alice.run(
    `jstz://${await alice.deploy(`export default async () => {
      const found = [];
      const names = ["process", "require", "module", "Deno", "Bun", "std", "os", "Worker", "SharedArrayBuffer", "WebSocket", "XMLHttpRequest", "__dirname", "global", "scriptArgs"];
      for (const name of names) if (globalThis[name] !== undefined) found.push(name);
      for (const make of [
        () => import("node:fs"), () => import("fs"), () => import("/etc/passwd"), () => import("os"), () => import("std"),
      ]) try { await make(); found.push(String(make)); } catch {}
      const made = Function("return this")();
      if (made !== globalThis) found.push("another global");
      const outer = (() => {}).constructor.constructor("return typeof process")();
      if (outer !== "undefined") found.push("process by constructor");
      return new Response(JSON.stringify(found) + JSON.stringify(Object.getOwnPropertyNames(globalThis)));
    }`)}/`,
  );
  expect(body).toMatch(/^\[\]/);
  expect(body).not.toContain("only-for-the-host");
});

it("no function reads or writes another's store, and none leaves data in memory for the next", async () => {
  const victim = await alice.deploy(
    `export default () => { Kv.set("secret", "gold"); globalThis.left = 1; Object.prototype.left = 1; return new Response("ok"); }`,
  );
  await alice.run(`jstz://${victim}/`);
  const { body } = await alice.run(
    `jstz://${await alice.deploy(`export default () => {
      const keys = ["secret", "../${victim}/secret", "/${victim}/secret", "${victim}/secret", "%2e%2e/${victim}/secret", "__proto__"];
      const seen = keys.map((key) => { try { return Kv.get(key) ?? null; } catch { return null; } });
      for (const key of keys) try { Kv.set(key, "stolen"); } catch {}
      return new Response(JSON.stringify([seen, typeof left, ({}).left ?? null]));
    }`)}/`,
  );
  expect(JSON.parse(body!)).toEqual([[null, null, null, null, null, null], "undefined", null]);
  expect(await runtime.kv(victim, "secret")).toBe("gold");
});

it("secret keys appear in no response, log, error, argument list or owner record", async () => {
  const keys = [configured.text, ...BOOTSTRAP_ACCOUNTS.map(({ secretKey }) => secretKey)];
  await cli.functez(["account", "create", "bob"]);
  const file = readFileSync(join(cli.configHome, "functez/config.json"), "utf8");
  keys.push(
    (JSON.parse(file) as { accounts: { bob: { User: { secret_key: string } } } }).accounts.bob.User
      .secret_key,
  );
  const call = {
    from: "mine",
    contract: "KT1GFiPkkTjd14oHe6MrBPiRh5djzRkVWcni",
    amount: 9e9,
    entrypoint: "x",
    arg: configured.text,
  };
  const refused = await fetch(`${ready.sandboxd}/contract_call`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(call),
  });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  const texts: Record<string, string> = {
    "an error": await refused.text(),
    "the log": daemon.output(),
    "/health": await (await fetch(`${ready.sandboxd}/health`)).text(),
    "/accounts": await (await fetch(`${ready.sandboxd}/accounts`)).text(),
    "account list": (await cli.functez(["account", "list"])).stdout,
    deposit: Object.values(
      await cli.functez(["bridge", "deposit", "-f", "bob", "-t", "bob", "-a", "1"]),
    ).join(),
  };
  for (const path of ["", "layer1_node", "runtime_node", "octez_node", "jstz_node"]) {
    texts[`/config/${path}`] = await (await fetch(`${ready.sandboxd}/config/${path}`)).text();
  }
  const port = new URL(ready.sandboxd).port;
  texts["the owner record"] = readFileSync(join(cli.configHome, `functez/run/sandboxd-${port}.json`), "utf8");
  if (process.platform === "linux")
    texts["the arguments"] = readFileSync(`/proc/${ready.pid}/cmdline`, "utf8");
  for (const [place, text] of Object.entries(texts)) {
    expect(
      keys.filter((key) => text.includes(key.slice(0, 30))),
      place,
    ).toEqual([]);
  }
});

it("opening private addresses opens neither the control interface nor admin routes", async () => {
  const open = await startedSandbox({ runtime_node: { oracle: { allow_private: true } } });
  try {
    const signer = new Signer(createRuntimeClient(open.ready.runtime));
    const address = await signer.deploy(`export default async (request) => {
      const { url, method } = await request.json();
      return new Response(String((await fetch(url, { method, headers: { "x-functez-function": "" } })).status));
    }`);
    const statusOf = async (method: string, url: string): Promise<string | null> => {
      const body = JSON.stringify({ method, url });
      return (await signer.run(`jstz://${address}/`, { method: "POST", body })).body;
    };
    const { sandboxd, layer1, runtime: own } = open.ready;
    expect(await statusOf("GET", `${layer1}/chains/main/chain_id`)).toBe("200");
    expect(await statusOf("PUT", `${sandboxd}/shutdown`)).toBe("403");
    expect(await statusOf("GET", `${sandboxd}/config/`)).toBe("403");
    expect(await statusOf("POST", `${layer1}/admin/bake`)).toBe("403");
    expect(await statusOf("POST", `${layer1}/%61dmin/bake`)).toBe("403");
    // By a name that the oracle does not recognise as the runtime's own, but that resolves to it.
    expect(await statusOf("POST", `http://127.0.0.2:${new URL(own).port}/admin/hold`)).toMatch(/^(403|502)$/);
    expect((await fetch(`${sandboxd}/health`)).status).toBe(200);
  } finally {
    await open.cli.dispose();
  }
});
