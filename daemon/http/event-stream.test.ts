import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import fastify, { type FastifyInstance } from "fastify";
import { afterEach, expect, it } from "vitest";
import { type EventStream, openEventStream } from "./event-stream.ts";
import { OpenStreams } from "./open-streams.ts";

let server: FastifyInstance;
afterEach(() => server.close());

/** A stream with a connected reader, which reads when told to. */
async function openConnection(method = "GET"): Promise<{ stream: EventStream; socket: Socket }> {
  server = fastify({ forceCloseConnections: true, exposeHeadRoutes: true });
  server.decorate("streams", new OpenStreams());
  server.decorate("isOwner", () => false);
  const opened = new Promise<EventStream>((resolve) => {
    server.get("/", (_request, reply) =>
      resolve(openEventStream(reply, { keepAliveMs: 60_000, keepAliveText: "on" })),
    );
  });
  await server.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect((server.server.address() as AddressInfo).port, "127.0.0.1").pause();
  socket.write(`${method} / HTTP/1.1\r\nhost: x\r\n\r\n`);
  return { stream: await opened, socket };
}

const KILOBYTE = "x".repeat(1000);

it("keeps a reader that reads through a burst of several megabytes", async () => {
  const { stream, socket } = await openConnection();
  for (let i = 0; i < 3500; i++) stream.send({ data: KILOBYTE });
  stream.send({ data: "last" });
  let text = "";
  socket.on("data", (chunk: Buffer) => (text = text.slice(-100) + chunk.toString()));
  socket.resume();
  await expect.poll(() => text.includes("data: last"), { timeout: 10_000 }).toBe(true);
  socket.destroy();
  await stream.closed;
});

it("drops a reader that reads nothing before the buffer grows large", async () => {
  const { stream, socket } = await openConnection();
  let sent = 0;
  let dropped = false;
  void stream.closed.then(() => (dropped = true));
  while (!dropped && sent < 64_000) {
    for (let i = 0; i < 1000; i++, sent++) stream.send({ data: KILOBYTE });
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(dropped).toBe(true);
  expect(sent).toBeLessThan(30_000); // our buffer plus the two kernel buffers
  socket.on("error", () => undefined);
  socket.resume();
  await once(socket, "close");
});

it("ends with its head for HEAD, so that the next request of the connection is answered", async () => {
  const { stream, socket } = await openConnection("HEAD");
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString())).resume();
  socket.write("GET /none HTTP/1.1\r\nhost: x\r\n\r\n");
  await stream.closed;
  stream.send({ data: KILOBYTE }); // reaches nobody
  await expect.poll(() => text).toContain("404");
  expect(text).toMatch(/^HTTP\/1\.1 200 [^]*text\/event-stream[^]*HTTP\/1\.1 404 /);
  expect(text).not.toContain(KILOBYTE);
  socket.destroy();
});

it("leaves the thread to others while many readers get long events, and each of them gets all", async () => {
  server = fastify({ forceCloseConnections: true });
  server.decorate("streams", new OpenStreams());
  server.decorate("isOwner", () => false);
  const READERS = 150;
  const streams: EventStream[] = [];
  const opened = new Promise<void>((resolve) => {
    server.get("/", (_request, reply) => {
      streams.push(openEventStream(reply, { keepAliveMs: 60_000, keepAliveText: "on" }));
      if (streams.length === READERS) resolve();
    });
  });
  const connections: Socket[] = [];
  server.server.on("connection", (socket) => connections.push(socket));
  await server.listen({ port: 0, host: "127.0.0.1" });
  const ends: Promise<void>[] = [];
  const sockets = Array.from({ length: READERS }, () => {
    const socket = connect((server.server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    let tail = "";
    const hasLast = new Promise<void>((resolve) => {
      socket.on("data", (chunk) => {
        tail = (tail + chunk.toString("latin1")).slice(-100);
        if (tail.includes("data: last")) resolve();
      });
    });
    ends.push(hasLast);
    return socket;
  });
  await opened;
  const [count, long] = [20, "é".repeat(5_000)]; // less than all readers together may lag
  for (let i = 0; i < count; i++) for (const stream of streams) stream.send({ data: `${i}${long}` });
  for (const stream of streams) stream.send({ data: "last" });
  const handedOver = connections.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  expect(handedOver).toBeLessThan(READERS * count * Buffer.byteLength(long));
  await Promise.all(ends);
  for (const socket of sockets) socket.destroy();
});
