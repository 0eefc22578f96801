import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { FastifyInstance } from "fastify";
import { silentLog } from "../parts/log.ts";
import { listen } from "./listen.ts";
import { MAX_CONNECTIONS, MAX_PIPELINED, MAX_PIPELINED_IN_ALL } from "./connections.ts";
import { createServer } from "./server.ts";

const MIB = 1024 * 1024;
let server: FastifyInstance;
let base: URL;
const open: Socket[] = [];

beforeEach(async () => {
  server = createServer({
    log: silentLog,
    name: "test",
    access: () => "own-site",
    adminSecret: undefined,
    bodyLimit: MIB,
  });
  server.get("/", () => "here");
  server.post("/length", (request) => (request.body as string).length);
  server.get("/never", () => new Promise(() => undefined));
  base = new URL(await listen(server, { host: "127.0.0.1", port: 0, purpose: "the test", configKey: "x" }));
});
afterEach(async () => {
  for (const each of open.splice(0)) each.destroy();
  await server.close();
});

/** Connections of which as many were opened as are told, each beginning with some text. */
async function connections(count: number, text = ""): Promise<Set<Socket>> {
  const closed = new Set<Socket>();
  for (let i = 0; i < count; i++) {
    const socket = connect(Number(base.port), base.hostname);
    socket.on("error", () => undefined).once("close", () => closed.add(socket));
    if (text !== "") socket.write(text);
    open.push(socket.resume());
    // The system keeps some hundred for a server to take, and makes further ones wait for seconds.
    if (i % 100 === 99) await once(socket, "connect");
  }
  return closed;
}

it("ends the longest idle connection for a new one", async () => {
  const closed = await connections(MAX_CONNECTIONS + 10);
  await expect.poll(() => closed.size, { timeout: 10_000 }).toBe(10);
  expect(closed).toEqual(new Set(open.slice(0, 10)));
  for (let i = 0; i < 20; i++) {
    expect(await (await fetch(base, { headers: { connection: "close" } })).text()).toBe("here");
  }
});

it.each([
  ["headers that do not end", "GET / HTTP/1.1\r\nhost: localhost\r\n"],
  ["a body that does not end", "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n"],
  ["answers that do not come", "GET /never HTTP/1.1\r\nhost: localhost\r\n\r\n"],
])("is reached beside as many connections as there are places, with %s", async (_what, text) => {
  await connections(MAX_CONNECTIONS, text);
  for (let i = 0; i < 20; i++) {
    expect(await (await fetch(base, { headers: { connection: "close" } })).text()).toBe("here");
  }
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

it.each([
  ["the guard", "GET / HTTP/1.1\r\nhost: evil.example\r\n\r\n"],
  ["the router", "GET /%zz HTTP/1.1\r\nhost: localhost\r\n\r\n"],
  ["the server, for want of a host", "GET / HTTP/1.1\r\n\r\n"],
  ["the server, for what it expects", "GET / HTTP/1.1\r\nhost: localhost\r\nexpect: much\r\n\r\n"],
])("leaves a connection on which requests pile up that %s refuses", async (_who, text) => {
  const socket = connect(Number(base.port), base.hostname).on("error", () => undefined);
  open.push(socket);
  let answers = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => (answers += chunk));
  socket.write("GET /never HTTP/1.1\r\nhost: localhost\r\n\r\n");
  socket.write(text.repeat(10 * MAX_PIPELINED));
  await expect.poll(() => socket.destroyed).toBe(true);
  expect(answers).toBe("");
});

it("refuses a request without a host", async () => {
  const socket = connect(Number(base.port), base.hostname);
  open.push(socket);
  socket.write("GET / HTTP/1.1\r\n\r\n");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 403 [^]*FORBIDDEN_HOST/);
});

it("leaves those with the most requests when those of all are too many", async () => {
  const one = "GET /never HTTP/1.1\r\nhost: localhost\r\n\r\n";
  const few = await connections(1, one.repeat(5));
  const many = await connections(Math.ceil(MAX_PIPELINED_IN_ALL / 50), one.repeat(51));
  await expect.poll(() => many.size).toBe(1);
  expect(few.size).toBe(0);
});

it("parses little of a packet of thousands of requests", async () => {
  let parsed = 0;
  server.server.on("request", () => parsed++);
  const one = "GET /never HTTP/1.1\r\nhost: localhost\r\n\r\n";
  const closed = await connections(1, one.repeat(65_536 / one.length));
  await expect.poll(() => closed.size).toBe(1);
  expect(parsed).toBeGreaterThan(MAX_PIPELINED);
  expect(parsed).toBeLessThan(3 * MAX_PIPELINED);
});

it("takes a body that looks like many requests", async () => {
  const body = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(10_000);
  const answer = await fetch(`${base.href}length`, {
    method: "POST",
    body,
    headers: { "content-type": "text/plain" },
  });
  expect(await answer.text()).toBe(String(body.length));
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
  socket.pause().write("GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(50));
  await expect.poll(made).toBeGreaterThan(0);
  for (let i = 0; i < 20; i++) expect(await (await fetch(base)).text()).toBe("here");
  expect(made()).toBeLessThan(30); // what the system holds for a reader, and one more
  socket.resume();
  await expect.poll(made, { timeout: 10_000 }).toBe(50);
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
