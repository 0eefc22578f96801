// Floods by strangers that try to fill the sandbox: functions that fire requests, operations that are never executed,
// bodies and responses that are never read, countless streams. Each has its limit, so the daemon's memory is limited,
// and the sandbox responds all the time.
import { readdirSync, readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createRuntimeClient, type RuntimeClient } from "../../daemon/client/runtime-client.ts";
import { HOSTILE_CODE, hostileScript } from "../../daemon/layer1/testing/hostile-scripts.ts";
import { stringifyExact } from "../../daemon/protocol/exact-json.ts";
import { operationHashHex } from "../../daemon/protocol/runtime-operation.ts";
import { runContent, Signer } from "../../daemon/runtime/test-node.ts";
import { randomSecretKey } from "../../daemon/tezos/keys.ts";
import { type BuiltCli, type ReadyLine, startedSandbox } from "../support/built-cli.ts";
import { amount } from "../support/long-run.ts";

/** Limit of the daemon's growth over its idle memory, whatever is sent; each kind of flood gets a fresh daemon. */
const MAX_GROWTH_MIB = 400;

let cli: BuiltCli;
let ready: ReadyLine;
let runtime: RuntimeClient;
let alice: Signer;
let idleMib = 0;
let highest = 0;
let watch: NodeJS.Timeout | undefined;
let unhealthy: string[] = [];
const sockets: Socket[] = [];

/** Resident memory of the daemon, on systems with /proc. */
function residentMib(): number {
  if (process.platform !== "linux") return 0;
  const status = readFileSync(`/proc/${ready.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
const descriptors = (): number =>
  process.platform === "linux" ? readdirSync(`/proc/${ready.pid}/fd`).length : 0;

beforeEach(async () => {
  ({ cli, ready } = await startedSandbox());
  runtime = createRuntimeClient(ready.runtime);
  alice = new Signer(runtime);
  await alice.run(`jstz://${await alice.deploy(`export default () => new Response("warm")`)}/`);
  idleMib = residentMib();
});

/** Monitors memory and health during a flood. */
function watching(): void {
  highest = 0;
  unhealthy = [];
  watch = setInterval(() => {
    highest = Math.max(highest, residentMib());
    fetch(`${ready.sandboxd}/health`, { signal: AbortSignal.timeout(10_000) }).then(
      ({ status }) => status === 200 || unhealthy.push(String(status)),
      (error: Error) => unhealthy.push(error.name),
    );
  }, 100);
}
function mustHaveHeld(what: string): void {
  clearInterval(watch);
  highest = Math.max(highest, residentMib());
  process.stderr.write(
    `figures: ${what}: idle ${Math.round(idleMib)} MB, highest ${Math.round(highest)} MB\n`,
  );
  expect(highest - idleMib).toBeLessThan(MAX_GROWTH_MIB);
  expect(unhealthy).toEqual([]);
}
afterEach(async () => {
  clearInterval(watch);
  for (const socket of sockets.splice(0)) socket.destroy();
  await cli.dispose();
});

const mark = (code: string): string => `${code} // ${Math.random()}`;

it("functions that fetch a lot without waiting leave no request behind", async () => {
  const store = await alice.deploy(
    mark(`export default () => { Kv.set("big", "x".repeat(9e6)); return new Response("stored"); }`),
  );
  await alice.run(`jstz://${store}/`);
  const bomb = await alice.deploy(
    mark(`export default async (request) => {
      const { url, wait } = await request.json();
      const seen = {};
      const all = Array.from({ length: 300 }, () => fetch(url).then(({ status }) => { seen[status] = (seen[status] ?? 0) + 1; }));
      if (wait) await Promise.all(all);
      return Response.json(seen);
    }`),
  );
  const big = `http://localhost:8933/accounts/${store}/kv?key=big`;
  watching();
  for (let i = 0; i < 20; i++) {
    const body = JSON.stringify({ url: big });
    await alice.run(`jstz://${bomb}/`, { method: "POST", body });
  }
  // And functions that wait, many at once: each respects its own limit, and all together the total limit.
  const many = Array.from({ length: 20 }, async () => {
    const signer = new Signer(runtime);
    const body = JSON.stringify({ url: big, wait: true });
    return JSON.parse((await signer.run(`jstz://${bomb}/`, { method: "POST", body })).body!) as Record<
      string,
      number
    >;
  });
  for (const seen of await Promise.all(many)) {
    expect(Object.values(seen).reduce((sum, each) => sum + each, 0)).toBe(300);
    expect(seen["429"]).toBeGreaterThanOrEqual(300 - 64);
  }
  mustHaveHeld("fetches");
  expect(descriptors()).toBeLessThan(200);
});

it("event streams are refused to functions, and to others beyond the limit", async () => {
  const address = await alice.deploy(
    mark(`export default async (request) => {
    try { return new Response(String((await fetch(await request.text())).status)); } catch (error) { return new Response(String(error)); }
  }`),
  );
  const body = `http://localhost:8933/logs/${address}/stream`;
  expect((await alice.run(`jstz://${address}/`, { method: "POST", body })).body).toBe("403");
  watching();
  for (const [server, path, other] of [
    [ready.runtime, `/logs/${address}/stream`, "/operations/stream"],
    [ready.layer1, "/global/monitor_blocks", "/monitor/heads/main"],
    [ready.sandboxd, "/events", "/logs"],
  ] as const) {
    const { hostname, port } = new URL(server);
    const statuses: string[] = [];
    let closed = 0;
    for (let i = 0; i < 400; i++) {
      const socket = connect(Number(port), hostname).on("error", () => undefined);
      sockets.push(socket.once("close", () => closed++));
      socket.once("data", (chunk: Buffer) => statuses.push(chunk.toString("latin1").slice(9, 12)));
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
    }
    await expect.poll(() => statuses.length, { timeout: 20_000 }).toBe(400);
    const open = statuses.filter((status) => status === "200").length;
    expect(open).toBe(400);
    // The oldest streams were closed for newer ones, and another is closed for this one.
    await expect.poll(() => closed).toBe(400 - 256);
    const one = await fetch(`${server}${other}`);
    expect(one.status).toBe(200);
    await one.body!.cancel();
  }
  mustHaveHeld("streams");
});

it("operations that are never executed take no memory, and queued ones are limited by size", async () => {
  const busy = await alice.deploy(mark(`export default () => { for (;;); }`));
  const stranger = randomSecretKey();
  watching();
  // An operation to queue behind.
  const { signed, hash } = alice.sign(runContent(`jstz://${busy}/`));
  await runtime.inject(signed);
  const functionCode = "A".repeat(9_000_000);
  const content = { _type: "DeployFunction", functionCode, accountCredit: 0n } as const;
  const operation = (nonce: bigint) => ({ publicKey: stranger.publicKey.text, nonce, content }) as const;
  const { signature } = signed;
  const [before, after] = stringifyExact({ inner: operation(0n), signature, verifier: null }).split(
    '"nonce":0',
  );
  const LAST = 59n;
  for (let nonce = 0n; nonce <= LAST; nonce++) {
    const answer = await fetch(`${ready.runtime}/operations`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: "https://evil.example" },
      body: `${before}"nonce":${nonce}${after}`,
    });
    await answer.arrayBuffer();
    expect(answer.status).toBe(200);
  }
  const last = operationHashHex(operation(LAST));
  const { result } = await runtime.waitForReceipt(last, { timeoutMs: 60_000 });
  expect(result).toMatchObject({ _type: "Failed" });
  await runtime.waitForReceipt(hash, { timeoutMs: 60_000 });
  mustHaveHeld("refused operations");
}, 300_000);

it("bodies that are sent slowly and answers that are not read are bounded", async () => {
  const store = await alice.deploy(
    mark(`export default () => { Kv.set("big", "y".repeat(9e6)); return new Response("stored"); }`),
  );
  await alice.run(`jstz://${store}/`);
  const { hostname, port } = new URL(ready.runtime);
  watching();
  const answers = new Map<string, number>();
  const count = (key: string): void => void answers.set(key, (answers.get(key) ?? 0) + 1);
  const bodies = Array.from({ length: 100 }, () => {
    const headers = { "content-type": "application/json", "content-length": 9_500_000 };
    const sent = httpRequest({ hostname, port, path: "/operations", method: "POST", agent: false, headers });
    sent.on("response", (response) => count(`body ${response.statusCode}`));
    sent.on("error", () => count("body cut"));
    sent.on("socket", (socket) => sockets.push(socket));
    sent.write("[".repeat(9_400_000));
    return sent;
  });
  const waiting = (): number => bodies.length - [...answers.values()].reduce((sum, each) => sum + each, 0);
  // Clients within the limit keep waiting for the end.
  await expect.poll(waiting, { timeout: 30_000 }).toBeLessThanOrEqual(4);
  expect(answers.get("body 503") ?? 0).toBeGreaterThan(0);
  for (let i = 0; i < 100; i++) {
    const socket = connect(Number(port), hostname)
      .pause()
      .on("error", () => undefined);
    sockets.push(socket);
    socket.write(`GET /accounts/${store}/kv?key=big HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
  }
  const busy = async (): Promise<number> => {
    const answer = await fetch(`${ready.runtime}/accounts/${store}/kv?key=big`);
    await answer.arrayBuffer();
    return answer.status;
  };
  // It waits for room, with a deadline.
  await expect.poll(busy, { timeout: 30_000 }).toBe(503);
  mustHaveHeld("bodies and answers");
  for (const socket of sockets.splice(0)) socket.destroy();
  await expect.poll(busy, { timeout: 10_000 }).toBe(200);
});

it("bodies in one-byte chunks, pipelined requests and unread responses are bounded", async () => {
  const { hostname, port } = new URL(ready.layer1);
  const host = `host: ${hostname}:${port}\r\n`;
  watching();
  let closed = 0;
  const send = (text: string): void => {
    const socket = connect(Number(port), hostname).on("error", () => undefined);
    // A client that does not read misses the end if data comes before it.
    sockets.push(socket.resume().once("close", () => closed++));
    socket.once("connect", () => socket.write(text));
  };
  const begin = `POST /injection/operation HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\n`;
  const stream = `GET /monitor/heads/main HTTP/1.1\r\n${host}\r\n`;
  const pieces = (count: number): string => "1\r\na\r\n".repeat(count);
  for (let i = 0; i < 150; i++) send(begin + pieces(60_000));
  for (let i = 0; i < 150; i++) send(stream + begin + pieces(60_000));
  await expect.poll(() => closed, { timeout: 20_000 }).toBe(300);
  // As many as the limit, each within the limit of a body.
  for (let i = 0; i < 300; i++) send(stream + begin + pieces(1_000));
  for (let i = 0; i < 600; i++)
    sockets.push(
      connect(Number(port), hostname)
        .on("error", () => undefined)
        .pause(),
    );
  for (const socket of sockets.slice(-600))
    socket.write(`GET /chains/main/blocks/head/context/constants HTTP/1.1\r\n${host}\r\n`.repeat(120));
  for (const end = performance.now() + 4_000; performance.now() < end;)
    expect((await fetch(`${ready.sandboxd}/health`, { signal: AbortSignal.timeout(2_000) })).status).toBe(
      200,
    );
  mustHaveHeld("pieces and lines");
});

it("large answers of functions are kept within the bound of the history", async () => {
  const large = await alice.deploy(mark(`export default () => new Response("z".repeat(9e6));`));
  watching();
  // Each requests its receipt while the operation is in flight: the history has room for two or three such responses.
  const lanes = Array.from({ length: 8 }, async () => {
    const signer = new Signer(runtime);
    for (let i = 0; i < 5; i++)
      expect((await signer.send(runContent(`jstz://${large}/`))).result).toMatchObject({ _type: "Success" });
  });
  await Promise.all(lanes);
  mustHaveHeld("large answers");
});

it.each(["list that grows", "map with long keys", "texts that are kept"])(
  "scripts of layer 1 are bounded together: %s",
  async (name) => {
    const unit = { prim: "Unit" };
    const body = JSON.stringify({
      script: hostileScript(HOSTILE_CODE[name]!),
      storage: unit,
      input: unit,
      amount: "0",
      balance: "0",
    });
    watching();
    const url = `${ready.layer1}/chains/main/blocks/head/helpers/scripts/run_code`;
    // Two of them keep their data; the others wait with only their requests.
    const all = Array.from({ length: amount(6, 24) }, async () =>
      (await fetch(url, { method: "POST", body })).text(),
    );
    for (const text of await Promise.all(all)) expect(text).toMatch(/gas_exhausted|sandbox\.|LAYER1_BUSY/);
    mustHaveHeld(name);
  },
);
