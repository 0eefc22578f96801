import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MAX_CONNECTIONS, MAX_PIPELINED_IN_ALL } from "./connections.ts";
import type { ServerOptions } from "./server.ts";
import { startServer } from "./test-server.ts";

const MIB = 1024 * 1024;
let server: FastifyInstance;
let base: URL;
const started: FastifyInstance[] = [];
const open: Socket[] = [];

/** Gives a test a server of its own. */
async function serve(addRoutes: (server: FastifyInstance) => void, options?: Partial<ServerOptions>) {
  ({ server, base } = await startServer(addRoutes, options));
  started.push(server);
}

beforeEach(() =>
  serve(
    (target) => {
      target.get("/", () => "here");
      target.post("/length", (request) => (request.body as string).length);
      target.get("/never", () => new Promise(() => undefined));
    },
    { bodyLimit: MIB },
  ),
);
afterEach(async () => {
  for (const each of open.splice(0)) each.destroy();
  for (const each of started.splice(0)) await each.close();
});

/** Opens that many connections and sends `text` on each. @returns those that have closed */
async function connections(count: number, text = ""): Promise<Set<Socket>> {
  const closed = new Set<Socket>();
  for (let i = 0; i < count; i++) {
    const socket = connect(Number(base.port), base.hostname);
    socket.on("error", () => undefined).once("close", () => closed.add(socket));
    if (text !== "") socket.write(text);
    open.push(socket.resume());
    // The system queues a few hundred for a server to accept, and delays further ones by seconds.
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
  ["headers that never end", "GET / HTTP/1.1\r\nhost: localhost\r\n"],
  ["a body that never ends", "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n"],
  ["answers that never come", "GET /never HTTP/1.1\r\nhost: localhost\r\n\r\n"],
])("stays reachable when all places are taken by %s", async (_what, text) => {
  await connections(MAX_CONNECTIONS, text);
  for (let i = 0; i < 20; i++) {
    expect(await (await fetch(base, { headers: { connection: "close" } })).text()).toBe("here");
  }
});

const REQUEST = "GET /never HTTP/1.1\r\nhost: localhost\r\n\r\n";

it("pauses a connection while its requests pile up, and resumes once they are answered", async () => {
  const waiting: (() => void)[] = [];
  await serve((target) => {
    target.get("/never", () => new Promise((resolve) => waiting.push(() => resolve("now"))));
  });
  let parsed = 0;
  server.server.on("request", () => parsed++);
  const socket = connect(Number(base.port), base.hostname);
  open.push(socket);
  let answers = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => (answers += chunk));
  const count = 1_000;
  socket.write(REQUEST.repeat(count));
  // All of them arrive at once; only the first is started.
  await expect.poll(() => waiting.length).toBe(1);
  expect((await fetch(`${base.href}nowhere`)).status).toBe(404);
  expect(parsed).toBeLessThan(100);
  for (let answered = 0; answered < count;) {
    await expect.poll(() => waiting.length, { interval: 0 }).toBeGreaterThan(0);
    for (; waiting.length > 0; answered++) waiting.shift()!();
    if (answered === 50) expect(parsed).toBeLessThan(150);
  }
  await expect.poll(() => answers.split("HTTP/1.1 200").length - 1).toBe(count);
});

it.each([
  ["the guard", "GET / HTTP/1.1\r\nhost: evil.example\r\n\r\n"],
  ["the router", "GET /%zz HTTP/1.1\r\nhost: localhost\r\n\r\n"],
  ["the server, for a missing host", "GET / HTTP/1.1\r\n\r\n"],
  ["the server, for its Expect header", "GET / HTTP/1.1\r\nhost: localhost\r\nexpect: much\r\n\r\n"],
])("pauses a connection on which requests that %s refuses pile up", async (_who, text) => {
  let parsed = 0;
  for (const event of ["request", "checkExpectation"]) server.server.on(event, () => parsed++);
  const socket = connect(Number(base.port), base.hostname);
  open.push(socket);
  let answers = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => (answers += chunk));
  socket.write(REQUEST + text.repeat(1_000));
  await expect.poll(() => parsed).toBeGreaterThan(5);
  for (let i = 0; i < 20; i++) expect(await (await fetch(base)).text()).toBe("here");
  expect(parsed - 20).toBeLessThan(100);
  expect(answers).toBe("");
});

it("joins the pieces of a body, and hangs up on far too many", async () => {
  const begin =
    "POST /length HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n";
  const send = async (pieces: number): Promise<string> => {
    const socket = connect(Number(base.port), base.hostname).on("error", () => undefined);
    open.push(socket);
    let answer = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => (answer += chunk));
    socket.write(`${begin}${"1\r\na\r\n".repeat(pieces)}3e8\r\n${"b".repeat(1_000)}\r\n0\r\n\r\n`);
    await expect.poll(() => socket.destroyed || answer.includes("\r\n\r\n")).toBe(true);
    return answer;
  };
  expect(await send(1_000)).toMatch(/^HTTP\/1.1 200 [^]*\r\n2000$/);
  expect(await send(10_000)).toBe("");
});

it("interleaves the packets of many connections, in order on each", async () => {
  const text = (i: number): string => `${"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(40 + (i % 5))}`;
  const sockets = await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const socket = connect(Number(base.port), base.hostname);
      open.push(socket);
      let answers = "";
      socket.setEncoding("latin1").on("data", (chunk: string) => (answers += chunk));
      socket.write(
        `${text(i)}POST /length HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ncontent-length: 5000\r\nconnection: close\r\n\r\n`,
      );
      socket.write("a".repeat(5_000));
      await once(socket, "end");
      return answers.split("HTTP/1.1 200").length - 1;
    }),
  );
  expect(sockets).toEqual(sockets.map((_, i) => 41 + (i % 5)));
});

it("refuses a request without a host", async () => {
  const socket = connect(Number(base.port), base.hostname);
  open.push(socket);
  socket.write("GET / HTTP/1.1\r\n\r\n");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 403 [^]*FORBIDDEN_HOST/);
});

it("closes the connections with the most requests when there are too many in all", async () => {
  const few = await connections(1, REQUEST.repeat(5));
  const short = "GET / HTTP/1.1\r\nhost: a\r\n\r\n".repeat(12);
  const many = await connections(Math.ceil(MAX_PIPELINED_IN_ALL / 11), REQUEST + short);
  await expect.poll(() => many.size).toBeGreaterThan(0);
  expect(few.size).toBe(0);
});

it("accepts a body that looks like many requests", async () => {
  const body = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(10_000);
  const answer = await fetch(`${base.href}length`, {
    method: "POST",
    body,
    headers: { "content-type": "text/plain" },
  });
  expect(await answer.text()).toBe(String(body.length));
});

/** A server with a large answer, and how often it was built. */
async function largeAnswers(bytes: number): Promise<{ readonly made: () => number }> {
  let made = 0;
  await serve((target) => {
    target.get("/large", () => {
      made++;
      return "x".repeat(bytes);
    });
    target.get("/", () => "here");
  });
  return { made: () => made };
}

it("builds an answer only after the previous one on its connection has been sent", async () => {
  const { made } = await largeAnswers(MIB);
  const socket = connect(Number(base.port), base.hostname).on("error", () => undefined);
  open.push(socket);
  socket.pause().write("GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(50));
  await expect.poll(made).toBeGreaterThan(0);
  for (let i = 0; i < 20; i++) expect(await (await fetch(base)).text()).toBe("here");
  expect(made()).toBeLessThan(30); // what the kernel buffers for a reader, plus one
  socket.resume();
  await expect.poll(made, { timeout: 10_000 }).toBe(50);
});

it("refuses large answers while too many bytes are unread", async () => {
  await largeAnswers(16 * MIB); // more than the kernel takes from the server at once
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
