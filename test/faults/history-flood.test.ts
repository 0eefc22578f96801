// Strangers ask the history for as much as they can, of contracts made for that: memory stays within its limit, others are
// answered soon, and nothing ends.
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseMichelineText } from "../../daemon/tezos/micheline-text.ts";
import { type Micheline, prim } from "../../daemon/tezos/micheline.ts";
import { type BuiltCli, type ReadyLine, startedSandbox } from "../support/built-cli.ts";
import { amount } from "../support/long-run.ts";
import { ownerOf } from "../support/processes.ts";

/** Limit of the daemon's growth over its idle memory, in MiB. */
const MAX_GROWTH = 400;
/** The same in a flood of events: the limits of both histories, of unread streams, and what the heap needs beside them. */
const MAX_EVENT_GROWTH = 350;
/** Calls of that flood, with 140 kB of events each: 250 fill the history of layer 1, 900 both histories twice. */
const FLOOD_CALLS = amount(250, 900);
/** Milliseconds within which others are answered. */
const SOON = 2_000;

let cli: BuiltCli;
let ready: ReadyLine;
let idle = 0;
const sockets: Socket[] = [];
beforeEach(async () => {
  ({ cli, ready } = await startedSandbox());
  await head();
  idle = resident();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await cli.dispose();
});

/** Resident memory of the daemon in MiB, on systems with /proc. */
function resident(): number {
  if (process.platform !== "linux") return 0;
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${ready.pid}/status`, "utf8"))?.[1]) / 1024;
}
const history = (path: string): Promise<Response> => fetch(`${ready.sandboxd}/tzkt/v1/${path}`);
/** Milliseconds that somebody else waits. */
async function head(): Promise<number> {
  const asked = performance.now();
  expect((await history("head")).status).toBe(200);
  return performance.now() - asked;
}

/** Asks as somebody else again and again until it is over. @returns the longest wait, and the highest memory */
async function during(work: Promise<unknown>): Promise<{ readonly waited: number; readonly growth: number }> {
  let isOver = false;
  const over = work.finally(() => (isOver = true));
  let [waited, highest] = [0, 0];
  while (!isOver) {
    waited = Math.max(waited, await head());
    highest = Math.max(highest, resident());
  }
  await over;
  process.stderr.write(
    `figures: history: others waited ${Math.round(waited)} ms, memory +${Math.round(highest - idle)} MB\n`,
  );
  return { waited, growth: highest - idle };
}

async function send(content: object, from = "bootstrap1"): Promise<string> {
  const answer = await fetch(`${ready.sandboxd}/layer1/operations`, {
    method: "POST",
    headers: { ...ownerOf(cli, ready), "content-type": "application/json" },
    body: JSON.stringify({ from, contents: [content] }),
  });
  const report = (await answer.json()) as { readonly contracts: readonly string[] };
  expect(answer.status, JSON.stringify(report)).toBe(200);
  return report.contracts[0] ?? "";
}
const originate = (parameter: Micheline, storage: Micheline, code: string, init: string): Promise<string> =>
  send({
    kind: "origination",
    script: {
      code: [prim("parameter", parameter), prim("storage", storage), prim("code", parseMichelineText(code))],
      storage: parseMichelineText(init),
    },
  });
const call = (destination: string, entrypoint: string, argument: string, from?: string): Promise<string> =>
  send(
    {
      kind: "transaction",
      destination,
      amount: "0",
      parameters: { entrypoint, value: parseMichelineText(argument) },
    },
    from,
  );

const COUNT_DOWN = "PUSH nat 1; SWAP; SUB; ISNAT; IF_NONE { PUSH nat 0 } {}";
const NAT = prim("nat");

/** A contract whose storage of 25,000 units becomes 6.4 MB as people read it: each has a name of 250 characters. */
async function amplifier(): Promise<string> {
  const names = Array.from({ length: 50 }, (_, i) => `%f${String(i).padStart(3, "0")}${"x".repeat(245)}`);
  const storage = prim("list", prim("pair", ...names.map((name) => ({ prim: "unit", annots: [name] }))));
  const record = `PUSH (pair ${"unit ".repeat(50)}) (Pair ${"Unit ".repeat(50)})`;
  const loop = `DUP; INT; GT; LOOP { ${COUNT_DOWN}; SWAP; ${record}; CONS; SWAP; DUP; INT; GT }`;
  const emit = `DUP; EMIT %e (list (pair ${"unit ".repeat(50)}))`;
  const code = `{ UNPAIR; ${loop}; DROP; ${emit}; NIL operation; SWAP; CONS; PAIR }`;
  const address = await originate(NAT, storage, code, "{}");
  await call(address, "default", "500");
  for (let i = 0; i < 6; i++) await call(address, "default", "0");
  return address;
}

it("long answers, many at once, read and unread", { timeout: 120_000 }, async () => {
  const address = await amplifier();
  const paths = [
    "operations/transactions?limit=1&offset=2",
    `contracts/${address}/storage`,
    `contracts/${address}/storage/history?limit=1`,
  ];
  const read = Array.from({ length: 40 }, async (_, i) => {
    const answer = await history(paths[i % 3]!);
    await answer.arrayBuffer();
    return answer.status;
  });
  const { waited, growth } = await during(Promise.all(read));
  // Those that wait for too long, on a busy machine, are told to try again.
  const statuses = await Promise.all(read);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(5);
  const { hostname, port } = new URL(ready.sandboxd);
  const unread = Array.from({ length: 40 }, (_, i) => {
    const socket = connect(Number(port), hostname).on("error", () => undefined);
    sockets.push(socket);
    socket.write(`GET /tzkt/v1/${paths[i % 3]!} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
    return new Promise<void>((resolve) => {
      socket.once("close", resolve);
      socket.once("data", () => {
        socket.pause();
        resolve();
      });
    });
  });
  const later = await during(Promise.all(unread));
  expect(Math.max(waited, later.waited)).toBeLessThan(SOON);
  expect(Math.max(growth, later.growth)).toBeLessThan(MAX_GROWTH);
});

it("answers and filters that would take too much are refused with a code", { timeout: 120_000 }, async () => {
  const address = await amplifier();
  const filters = Array.from({ length: 60 }, (_, i) => `payload.[0].k${i}.ne=1`).join("&");
  const long = [
    `contracts/${address}/storage/history?limit=1000`,
    "operations/transactions?limit=100",
    "operations/transactions?limit=100&micheline=1",
    `accounts/${address}/operations`,
  ];
  const asked = long.map(async (path) => [
    (await history(path)).status,
    ((await (await history(path)).json()) as { error: { code: string } }).error.code,
  ]);
  const slow = Array.from(
    { length: 20 },
    async () => (await history(`contracts/events/count?${filters}`)).status,
  );
  const { waited, growth } = await during(Promise.all([...asked, ...slow]));
  expect(await Promise.all(asked)).toEqual(long.map(() => [422, "ANSWER_TOO_LARGE"]));
  for (const status of await Promise.all(slow)) expect([200, 422]).toContain(status);
  expect(waited).toBeLessThan(SOON);
  expect(growth).toBeLessThan(MAX_GROWTH);
});

it("a large big map that one operation passes on 150 times", { timeout: 120_000 }, async () => {
  const map = prim("big_map", NAT, prim("unit"));
  const sink = await originate(map, prim("unit"), "{ DROP; UNIT; NIL operation; PAIR }", "Unit");
  const fill = `SWAP; UNPAIR; DIG 2; DUP; INT; GT;
    LOOP { ${COUNT_DOWN}; DUG 2; DUP 2; UNIT; SOME; SWAP; DIG 2; DUG 2; UPDATE; SWAP; PUSH nat 1; ADD; SWAP; DIG 2; DUP; INT; GT };
    DROP; PAIR; NIL operation; PAIR`;
  const pass = `NIL operation; SWAP; DUP; INT; GT;
    LOOP { ${COUNT_DOWN}; DUP 3; CAR; PUSH address "${sink}"; CONTRACT (big_map nat unit); IF_NONE { UNIT; FAILWITH } {};
           PUSH mutez 0; DIG 2; TRANSFER_TOKENS; DIG 2; SWAP; CONS; SWAP; DUP; INT; GT };
    DROP; PAIR`;
  const parameter = prim("or", { ...NAT, annots: ["%fill"] }, { ...NAT, annots: ["%pass"] });
  const sender = await originate(
    parameter,
    prim("pair", map, NAT),
    `{ UNPAIR; IF_LEFT { ${fill} } { ${pass} } }`,
    "Pair {} 0",
  );
  for (let i = 0; i < 20; i++) await call(sender, "fill", "800");
  await call(sender, "pass", "150");
  const { waited, growth } = await during(head());
  expect(waited).toBeLessThan(SOON);
  expect(growth).toBeLessThan(MAX_GROWTH);
  const [first] = (await (await history("bigmaps")).json()) as readonly object[];
  expect(first).toMatchObject({ activeKeys: 16_000 });
});

/** A client of the hub that subscribes to everything and reads nothing. */
async function unreadSubscriber(): Promise<void> {
  const { hostname, port } = new URL(ready.sandboxd);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  sockets.push(socket);
  socket.write(
    `GET /tzkt/v1/ws HTTP/1.1\r\nhost: ${hostname}:${port}\r\nupgrade: websocket\r\nconnection: Upgrade\r\n` +
      "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  const say = (message: object): void => {
    const text = Buffer.from(`${JSON.stringify(message)}\u001e`);
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | 126, 0, text.length, 0, 0, 0, 0]), text]));
  };
  say({ protocol: "json", version: 1 });
  for (const target of ["SubscribeToHead", "SubscribeToBlocks", "SubscribeToOperations", "SubscribeToEvents"])
    say({ type: 1, target, arguments: [{}], invocationId: "1" });
}

it("long events without end, and subscribers that read none", { timeout: 120_000 }, async () => {
  const emits = "DUP 2; EMIT %e bytes; CONS; ".repeat(20);
  const address = await originate(
    prim("bytes"),
    prim("unit"),
    `{ UNPAIR; NIL operation; ${emits} DIP { DROP }; PAIR }`,
    "Unit",
  );
  await Promise.all(Array.from({ length: 60 }, unreadSubscriber));
  const argument = `0x${"ab".repeat(7_000)}`;
  let calls = 0;
  const flood = async (from: string): Promise<void> => {
    while (calls++ < FLOOD_CALLS) await call(address, "default", argument, from);
  };
  const { waited, growth } = await during(
    Promise.all(["bootstrap0", "bootstrap1", "bootstrap2"].map((from) => flood(from))),
  );
  expect(((await (await history("contracts/events/count")).json()) as number) > 0).toBe(true);
  expect(waited).toBeLessThan(SOON);
  expect(growth).toBeLessThan(MAX_EVENT_GROWTH);
});
