// Many clients at once: every request is answered, every operation has its receipt, tez are exact to the mutez, memory
// stays bounded, and a reader that does not read harms no other client.
import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createLayer1Client } from "../../daemon/client/layer1-client.ts";
import { createRuntimeClient } from "../../daemon/client/runtime-client.ts";
import { readEvents } from "../../daemon/client/server-sent-events.ts";
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS, EXCHANGER_ADDRESS } from "../../daemon/protocol/constants.ts";
import type { Receipt } from "../../daemon/protocol/runtime-receipt.ts";
import { parseSecretKey } from "../../daemon/protocol/secret-key.ts";
import { runContent, Signer } from "../../daemon/runtime/test-node.ts";
import { type BuiltCli, startedSandbox } from "../support/built-cli.ts";
import { amount, LONG, SEED, seededRandom } from "../support/long-run.ts";

const LIMIT_MS = LONG ? 900_000 : 120_000;
const MIB = 1024 * 1024;
let cli: BuiltCli | undefined;
afterEach(() => cli?.dispose());

const random = seededRandom(SEED);
const figures = (text: string) => void process.stderr.write(`figures: ${text}\n`);

/** Resident memory of a process in bytes; undefined on systems without /proc. */
function residentBytes(pid: number): number | undefined {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

const COUNTER = `export default async (request) => {
  const n = (Kv.get("n") ?? 0) + 1;
  Kv.set("n", n);
  console.log("call " + n);
  return new Response(String(n));
}`;

it(
  "64 connections of all kinds lose no receipt and no mutez",
  async () => {
    const started = await startedSandbox();
    cli = started.cli;
    const { ready } = started;
    const layer1 = createLayer1Client(ready.layer1);
    const runtime = createRuntimeClient(ready.runtime);
    const heldBefore = await layer1.balance(EXCHANGER_ADDRESS);
    const end = Date.now() + amount(10, 60) * 1000;
    const running = (): boolean => Date.now() < end;
    const bad: string[] = [];
    const counts = { reads: 0, deposits: 0, calls: 0, transfers: 0, deploys: 0, events: 0, logs: 0 };
    let deposited = 0n;

    const signers = Array.from({ length: 20 }, () => new Signer(runtime));
    const functions: string[] = [];
    for (const signer of signers.slice(0, 4)) functions.push(await signer.deploy(COUNTER));
    const callsOf = new Map(functions.map((address) => [address, 0]));

    async function deposits(source: (typeof BOOTSTRAP_ACCOUNTS)[number]): Promise<void> {
      while (running()) {
        const mutez = BigInt(Math.floor(random() * 5_000_000) + 1);
        const receiver = signers[Math.floor(random() * signers.length)]!.address;
        await layer1.send({
          key: parseSecretKey(source.secretKey),
          destination: BRIDGE_ADDRESS,
          amount: mutez,
          parameters: { entrypoint: "deposit", value: { string: receiver } },
        });
        deposited += mutez;
        counts.deposits++;
      }
    }

    function check(receipt: Receipt): void {
      if (receipt.result._type === "Failed") bad.push(JSON.stringify(receipt.result));
    }

    async function operations(signer: Signer, index: number): Promise<void> {
      for (let i = 0; running(); i++) {
        const kind = i % 8;
        if (kind === 7) {
          await signer.deploy(`export default () => new Response("${index}/${i}")`);
          counts.deploys++;
        } else if (kind === 3 && (await runtime.balance(signer.address)) > 100n) {
          const receiver = signers[(index + 1 + i) % signers.length]!.address;
          const headers = { "x-jstz-transfer": "100" };
          check(await signer.send(runContent(`jstz://${receiver}/`, { method: "POST", headers })));
          counts.transfers++;
        } else {
          const target = functions[(index + i) % functions.length]!;
          check(await signer.send(runContent(`jstz://${target}/`)));
          callsOf.set(target, callsOf.get(target)! + 1);
          counts.calls++;
        }
      }
    }

    async function reads(): Promise<void> {
      const urls = [
        `${ready.sandboxd}/health`,
        `${ready.sandboxd}/accounts`,
        `${ready.sandboxd}/config/`,
        `${ready.layer1}/chains/main/blocks/head`,
        `${ready.layer1}/chains/main/blocks/head/context/contracts/${BOOTSTRAP_ACCOUNTS[1].address}/balance`,
        `${ready.runtime}/mode`,
        `${ready.runtime}/deposits`,
      ];
      for (let i = Math.floor(random() * urls.length); running(); i++) {
        const url = urls[i % urls.length]!;
        const answer = await fetch(url);
        await answer.arrayBuffer();
        if (answer.status !== 200) bad.push(`${url}: ${answer.status}`);
        counts.reads++;
      }
    }

    const streams = new AbortController();
    setMaxListeners(0, streams.signal);
    async function follow(url: string, count: "events" | "logs"): Promise<void> {
      try {
        for await (const { data } of readEvents(url, { signal: streams.signal })) if (data) counts[count]++;
        bad.push(`${url}: ended`);
      } catch {
        if (!streams.signal.aborted) bad.push(`${url}: cut`);
      }
    }

    const following = [
      ...Array.from({ length: 8 }, () => follow(`${ready.sandboxd}/events`, "events")),
      ...Array.from({ length: 8 }, (_, i) =>
        follow(`${ready.runtime}/logs/${functions[i % 4]!}/stream`, "logs"),
      ),
    ];
    const memory: number[] = [];
    const watch = setInterval(() => memory.push(residentBytes(ready.pid) ?? 0), 1000);
    await Promise.all([
      ...BOOTSTRAP_ACCOUNTS.map(deposits),
      ...signers.map(operations),
      ...Array.from({ length: 22 }, reads),
    ]);
    clearInterval(watch);

    expect(bad).toEqual([]);
    const inRuntime = async (): Promise<bigint> => {
      const balances = await Promise.all(signers.map(({ address }) => runtime.balance(address)));
      return balances.reduce((sum, balance) => sum + balance, 0n);
    };
    await expect.poll(inRuntime, { timeout: 20_000 }).toBe(deposited);
    expect((await layer1.balance(EXCHANGER_ADDRESS)) - heldBefore).toBe(deposited);
    for (const address of functions) expect(await runtime.kv(address, "n")).toBe(callsOf.get(address));
    streams.abort();
    await Promise.all(following);
    figures(
      `${JSON.stringify(counts)}, memory ${memory.map((bytes) => Math.round(bytes / MIB)).join(" ")} MB`,
    );
    // The history is bounded, so memory must stop growing after a warm-up.
    const warm = Math.max(...memory.slice(0, Math.ceil(memory.length / 2)));
    expect(memory.at(-1)! - warm).toBeLessThan(150 * MIB);
  },
  LIMIT_MS,
);

it(
  "a flood of log lines reaches active readers in order; idle readers are dropped",
  async () => {
    const started = await startedSandbox();
    cli = started.cli;
    const { ready } = started;
    const runtime = createRuntimeClient(ready.runtime);
    const signer = new Signer(runtime);
    const LINES = 500;
    const address = await signer.deploy(`export default (request) => {
      const from = Number(new URL(request.url).pathname.slice(1));
      for (let i = 0; i < ${LINES}; i++) console.log((from + i) + " " + "x".repeat(100));
      return new Response("ok");
    }`);

    // Readers that open the stream and never read a byte.
    const { hostname, port } = new URL(ready.runtime);
    const slow = Array.from({ length: 8 }, () => {
      const socket = connect(Number(port), hostname);
      socket.pause();
      socket.on("error", () => undefined);
      socket.write(`GET /logs/${address}/stream HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
      return socket;
    });
    const abort = new AbortController();
    const seen: number[] = [];
    const stream = await fetch(`${ready.runtime}/logs/${address}/stream`, { signal: abort.signal });
    const reading = (async () => {
      let rest = "";
      try {
        for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
          const lines = (rest + Buffer.from(chunk).toString("latin1")).split("\n");
          rest = lines.pop()!;
          for (const line of lines) if (line.startsWith("data: {")) seen.push(numberOf(line));
        }
      } catch {
        // aborted at the end of the test
      }
    })();

    const before = residentBytes(ready.pid) ?? 0;
    const calls = amount(60, 1200);
    const from = Date.now();
    let last = "";
    for (let call = 0; call < calls; call++) {
      const { signed, hash } = signer.sign(runContent(`jstz://${address}/${call * LINES}`));
      await runtime.inject(signed);
      // Enough calls in flight that the executor never waits for us, few enough for its queue.
      if (call % 10 === 9) {
        await runtime.waitForReceipt(hash);
        // A reader that is permanently slower than the writer counts as slow and is dropped. Here it catches up every
        // ten calls, slightly less than a reader may lag behind, before the next calls start.
        await expect.poll(() => seen.length, { timeout: 20_000 }).toBe((call + 1) * LINES);
      }
      last = hash;
    }
    expect(await runtime.waitForReceipt(last)).toMatchObject({ result: { inner: { statusCode: 200 } } });
    const seconds = (Date.now() - from) / 1000;
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(calls * LINES);
    expect(seen.every((number, i) => number === i)).toBe(true);
    const growth = (residentBytes(ready.pid) ?? 0) - before;
    figures(`${Math.round((calls * LINES) / seconds)} lines/s, memory +${Math.round(growth / MIB)} MB`);
    expect(growth).toBeLessThan(250 * MIB);
    abort.abort();
    await reading;
    // The kernel buffers what was sent before they were dropped; then the stream ends.
    for (const socket of slow) {
      await new Promise<void>((resolve) => {
        if (socket.closed) resolve();
        else socket.once("close", () => resolve());
        socket.resume();
      });
    }
    expect((await fetch(`${ready.sandboxd}/health`)).status).toBe(200);
  },
  LIMIT_MS,
);

function numberOf(line: string): number {
  const { text } = JSON.parse(line.slice("data: ".length)) as { text: string };
  return Number(/\d+/.exec(text)?.[0]);
}
