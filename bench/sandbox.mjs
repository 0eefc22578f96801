// functez as seen by the benchmarks: started from a copy of dist, used over HTTP like the peers.
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createParser } from "eventsource-parser";
import { importBundled } from "../tools/bundle.mjs";
import { freePort, launch, temporaryFolder } from "./machine.mjs";
import { cache, root } from "./peers.mjs";
import { answers, ask, keepAlive } from "./requests.mjs";

const dist = join(cache, "functez");
export const sandboxd = join(dist, "sandboxd.cjs");
export const functez = join(dist, "functez.mjs");

/** Copies dist, so that a build during a run does not affect the measurement. */
export function copyDist() {
  rmSync(dist, { recursive: true, force: true });
  cpSync(process.env.BENCH_DIST ?? join(root, "dist"), dist, { recursive: true });
}

/** The signing functions of signing.ts. */
export async function loadSigning() {
  const outfile = join(cache, "signing.mjs");
  return importBundled(join(root, "bench", "signing.ts"), outfile);
}

export const sandboxCommand = (ports, config) => [
  process.execPath,
  sandboxd,
  "run",
  ...(config === undefined ? [] : [config]),
  "--ports",
  ports.join(),
  "--log-level",
  "error",
];

/** The admin secret of the measured sandboxes; they listen only on loopback, and only briefly. */
const ADMIN_SECRET = "secret-of-the-benchmarks";

/** Starts `sandboxd run` and waits for its `/health`. @param config sections of the configuration file, if any */
export async function startSandbox(config) {
  const ports = [await freePort(), await freePort(), await freePort()];
  let file;
  if (config !== undefined) {
    file = join(temporaryFolder("config"), "sandbox.json");
    writeFileSync(file, JSON.stringify(config));
  }
  const started = performance.now();
  const child = launch(sandboxCommand(ports, file), { env: { FUNCTEZ_ADMIN_SECRET: ADMIN_SECRET } });
  await answers(ports[0], "/health", 200);
  const startMs = performance.now() - started;
  const [control, layer1, runtime] = ports;
  return { child, control, layer1, runtime, started, startMs };
}

const HEAD = "/chains/main/blocks/head";

/** A client of layer1_node that keeps counters. */
export function connectLayer1(port, signing) {
  const agent = keepAlive(32);
  const counters = new Map();
  /** Contents, with their receipts, of operations seen in blocks and not requested yet. */
  const seen = new Map();
  let level = 0;
  let following;
  let branch = "";
  const get = async (path) => {
    const { status, text } = await ask(port, path, { agent });
    if (status !== 200) throw new Error(`${path} answers ${status}: ${text.slice(0, 200)}`);
    return JSON.parse(text);
  };
  const post = async (path, body, headers) => {
    const { status, text } = await ask(port, path, { method: "POST", body, headers, agent });
    if (status !== 200) throw new Error(`${path} answers ${status}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  };
  /** Reads the next block, as Taquito does: its operations have the receipts. */
  async function follow() {
    const { status, text } = await ask(port, `/chains/main/blocks/${level + 1}/operations/3`, { agent });
    if (status !== 200) return; // does not exist yet
    level += 1;
    for (const { hash, contents } of JSON.parse(text)) seen.set(hash, contents);
  }
  const client = {
    agent,
    get,
    /** Uses a recent block as the branch of the operations signed from here on. */
    async refresh() {
      branch = (await get("/chains/main/blocks/head~2/header")).hash;
      // Nothing is pending, so the follower may continue from here.
      level = await client.height();
      seen.clear();
    },
    async learnCounters(keys) {
      for (const { publicKey } of keys) {
        const { counter } = await get(`${HEAD}/context/contracts/${publicKey.address}`);
        counters.set(publicKey.address, BigInt(counter));
      }
    },
    sign(key, fields) {
      const { address } = key.publicKey;
      const counter = counters.get(address) + 1n;
      counters.set(address, counter);
      return signing.layer1Transaction({ key, branch, counter, amount: 1n, ...fields });
    },
    send: (body) => post("/injection/operation", body),
    /** Sends, and gets the receipt. */
    async complete(body) {
      return client.receipt(await client.send(body));
    },
    /** Follows the blocks until one contains the operation. One follower serves all lanes of this client. */
    async receipt(hash) {
      while (!seen.has(hash)) await (following ??= follow().finally(() => (following = undefined)));
      const contents = seen.get(hash);
      seen.delete(hash);
      if (contents[0].metadata.operation_result.status !== "applied")
        throw new Error(`operation ${hash} failed`);
      return contents;
    },
    async height() {
      return (await get(`${HEAD}/header`)).level;
    },
    counterAtHead: async ({ publicKey }) =>
      BigInt((await get(`${HEAD}/context/contracts/${publicKey.address}`)).counter),
    counterOf: ({ publicKey }) => counters.get(publicKey.address),
    bake: (blocks) =>
      post("/admin/bake", JSON.stringify({ blocks }), { authorization: `Bearer ${ADMIN_SECRET}` }),
    close: () => agent.destroy(),
  };
  return client;
}

/** A client of runtime_node that keeps nonces. */
export function connectRuntime(port, signing) {
  const agent = keepAlive(32);
  const nonces = new Map();
  const client = {
    agent,
    sign(key, content) {
      const { address } = key.publicKey;
      const nonce = nonces.get(address) ?? 0n;
      nonces.set(address, nonce + 1n);
      return signing.runtimeOperation(key, nonce, content);
    },
    /** Sends, and gets the receipt. */
    async complete({ hash, body }) {
      const sent = await ask(port, "/operations", { method: "POST", body, agent });
      if (sent.status !== 200) throw new Error(`/operations answers ${sent.status}: ${sent.text}`);
      const { text } = await ask(port, `/operations/${hash}/receipt`, { agent });
      const { result } = JSON.parse(text);
      if (result._type !== "Success" || (result.inner.statusCode ?? 200) !== 200)
        throw new Error(`operation ${hash}: ${text.slice(0, 300)}`);
      return result.inner;
    },
    async deploy(key, code) {
      return (await client.complete(client.sign(key, signing.deployContent(code)))).address;
    },
    read: (path) => ask(port, path, { agent }),
    /** Calls `onBalance` for each changed balance; resolves to a function that ends it. */
    async watchBalances(onBalance) {
      const { body } = await agent.to(port).request({ path: "/operations/stream", method: "GET" });
      const parser = createParser({
        onEvent: ({ event, data }) => event === "balance" && onBalance(JSON.parse(data)),
      });
      body.setEncoding("utf8").on("data", (chunk) => parser.feed(chunk));
      body.on("error", () => undefined); // closed by us
      return () => body.destroy();
    },
    close: () => agent.destroy(),
  };
  return client;
}
