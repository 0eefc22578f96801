import { type ClientRequest, request as httpRequest } from "node:http";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { FastifyInstance } from "fastify";
import { silentLog } from "../parts/log.ts";
import { listen } from "./listen.ts";
import { MAX_CONNECTIONS, MAX_PIPELINED } from "./load-limits.ts";
import { createServer } from "./server.ts";

const MIB = 1024 * 1024;
let server: FastifyInstance;
let base: URL;
const open: (ClientRequest | Socket)[] = [];

beforeEach(async () => {
  server = createServer({
    log: silentLog,
    name: "test",
    access: () => "own-site",
    adminSecret: undefined,
    bodyLimit: MIB,
  });
  server.post("/", (request) => ({ length: (request.body as { text: string }).text.length }));
  server.get("/", () => "here");
  base = new URL(await listen(server, { host: "127.0.0.1", port: 0, purpose: "the test", configKey: "x" }));
});
afterEach(async () => {
  for (const each of open.splice(0)) each.destroy();
  await server.close();
});

/** A request with a body of which only so much is sent. */
function begin(
  bytes: number,
  declared: number | undefined,
): { sent: ClientRequest; status: Promise<number | string> } {
  const length = declared === undefined ? {} : { "content-length": declared };
  const headers = { "content-type": "application/json", ...length };
  const sent = httpRequest(base, { method: "POST", agent: false, headers });
  open.push(sent);
  const status = new Promise<number | string>((resolve) => {
    sent.once("response", (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.once("error", (error: NodeJS.ErrnoException) => resolve(error.code!));
  });
  sent.write(`{"text":"${"x".repeat(bytes)}`);
  return { sent, status };
}

it.each([MIB, undefined])(
  "refuses bodies beyond what may be under way, and takes them again (length %s)",
  async (declared) => {
    const half = Array.from({ length: 8 }, () => begin(MIB / 2, declared));
    // Until one is refused: the server sees the bytes in its own time.
    const refused = await Promise.race(
      [...half, begin(MIB / 2, declared), begin(MIB / 2, declared)].map(({ status }) => status),
    );
    expect(refused).toBe(503);
    for (const each of open.splice(0)) each.destroy();
    const answered = async (): Promise<number | string> => {
      const { sent, status } = begin(MIB / 2, undefined);
      sent.end('"}');
      return status;
    };
    await expect.poll(answered).toBe(200);
  },
);

it("gives back what bodies took that were answered", async () => {
  for (let i = 0; i < 20; i++) {
    const body = JSON.stringify({ text: "x".repeat(MIB / 2) });
    const answer = await fetch(base, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    expect(answer.status).toBe(200);
  }
});

it("counts no small bodies, and none that only declares its size", async () => {
  for (let i = 0; i < 100; i++) begin(10, MIB);
  const body = JSON.stringify({ text: "x" });
  const answer = await fetch(base, { method: "POST", body, headers: { "content-type": "application/json" } });
  expect(await answer.json()).toEqual({ length: 1 });
});

it("closes connections beyond the limit, and takes new ones when others have gone", async () => {
  const closed = new Set<Socket>();
  const { hostname, port } = base;
  for (let i = 0; i < MAX_CONNECTIONS + 10; i++) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined).once("close", () => closed.add(socket));
    open.push(socket);
    // The system keeps some hundred for a server to take, and makes further ones wait for seconds.
    if (i % 100 === 99) await once(socket, "connect");
  }
  await expect.poll(() => closed.size, { timeout: 10_000 }).toBe(10);
  for (const socket of open.splice(0)) socket.destroy();
  const answers = (): Promise<boolean> =>
    fetch(base).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(answers, { timeout: 10_000 }).toBe(true);
});

it("leaves a connection on which requests pile up without being answered", async () => {
  server = createServer({ log: silentLog, name: "test", access: () => "own-site", adminSecret: undefined });
  let answered = 0;
  server.get("/slow", () => new Promise(() => answered++));
  base = new URL(await listen(server, { host: "127.0.0.1", port: 0, purpose: "the test", configKey: "x" }));
  const pipelined = async (count: number): Promise<Socket> => {
    const socket = connect(Number(base.port), base.hostname).on("error", () => undefined);
    open.push(socket);
    socket.resume().write("GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(count));
    // All of them arrive with the first one, which is the only one that is begun.
    await expect.poll(() => answered).toBe(1);
    answered = 0;
    return socket;
  };
  expect((await pipelined(MAX_PIPELINED)).destroyed).toBe(false);
  const flood = await pipelined(10 * MAX_PIPELINED);
  await expect.poll(() => flood.destroyed).toBe(true);
});

/** A server with a large answer, and how often it was made. */
async function largeAnswers(bytes: number): Promise<{ readonly made: () => number }> {
  server = createServer({ log: silentLog, name: "test", access: () => "own-site", adminSecret: undefined });
  let made = 0;
  server.get("/large", () => {
    made++;
    return "x".repeat(bytes);
  });
  server.get("/", () => "here");
  base = new URL(await listen(server, { host: "127.0.0.1", port: 0, purpose: "the test", configKey: "x" }));
  return { made: () => made };
}

it("makes an answer only when the one ahead of it on its connection has been sent", async () => {
  const { made } = await largeAnswers(MIB);
  const socket = connect(Number(base.port), base.hostname).on("error", () => undefined);
  open.push(socket);
  socket.pause().write("GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(100));
  await expect.poll(made).toBeGreaterThan(0);
  for (let i = 0; i < 20; i++) expect(await (await fetch(base)).text()).toBe("here");
  expect(made()).toBeLessThan(30); // what the system holds for a reader, and one more
  socket.resume();
  await expect.poll(made, { timeout: 10_000 }).toBe(100);
});

it("refuses large answers while too many bytes of them are not read", async () => {
  await largeAnswers(16 * MIB); // more than the system takes off the server at once
  const statuses: string[] = [];
  for (let i = 0; i < 20; i++) {
    const socket = connect(Number(base.port), base.hostname).on("error", () => undefined);
    open.push(socket);
    socket.once("readable", () => statuses.push((socket.read(12) as Buffer).toString("latin1").slice(9)));
    socket.write("GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n");
  }
  await expect.poll(() => statuses.length, { timeout: 10_000 }).toBe(20);
  expect(new Set(statuses)).toEqual(new Set(["200", "503"]));
  expect((await fetch(base)).status).toBe(200);
  for (const socket of open.splice(0)) socket.destroy();
  await expect.poll(async () => (await fetch(`${base.href}large`)).status).toBe(200);
});

it.each([16 * MIB, undefined])(
  "lets who sends too much read the refusal, and then hangs up (length %s)",
  async (declared) => {
    const { sent, status } = begin(4 * MIB, declared);
    const closed = once(sent, "close");
    expect(await status).toBe(413);
    sent.write("x".repeat(MIB)); // still taken: a reset here would have cost the answer
    await closed;
  },
);
