import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { silentLog } from "../parts/log.ts";
import { listen } from "./listen.ts";
import { createServer } from "./server.ts";
import { isWebSocketRequest, WebSocketConnection } from "./web-socket.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server that sends back what it hears, in capitals. */
async function echo(onConnection: (made: WebSocketConnection) => void = () => undefined): Promise<number> {
  const server = createServer({
    name: "test",
    log: silentLog,
    access: () => "public",
    adminSecret: undefined,
  });
  server.get("/ws", (request, reply) => {
    if (!isWebSocketRequest(request.raw)) return reply.status(400).send("no");
    void reply.hijack();
    const connection = new WebSocketConnection(request.raw, {
      onText: (text) => connection.send(text.toUpperCase()),
      onClosed: () => undefined,
    });
    server.streams.add(connection, false);
    onConnection(connection);
    return reply;
  });
  closing.push(() => server.close());
  return Number(
    new URL(await listen(server, { host: "127.0.0.1", port: 0, purpose: "a test", configKey: "" })).port,
  );
}

interface Client {
  readonly socket: Socket;
  /** What came after the headers of the answer, until the server said nothing more that is expected. */
  until(isEnough: (bytes: Buffer) => boolean): Promise<Buffer>;
  readonly closed: Promise<void>;
}

async function client(port: number, headers: Readonly<Record<string, string>> = {}): Promise<Client> {
  const socket = connect(port, "127.0.0.1");
  let room = Buffer.alloc(64 * 1024);
  let bytes = room.subarray(0, 0);
  const waiting = new Set<() => void>();
  socket.on("data", (more: Buffer) => {
    const size = bytes.length + more.length;
    if (size > room.length) {
      room = Buffer.alloc(2 * size);
      bytes.copy(room);
    }
    more.copy(room, bytes.length);
    bytes = room.subarray(0, size);
    for (const look of waiting) look();
  });
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const all: Record<string, string> = {
    host: `127.0.0.1:${port}`,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET /ws HTTP/1.1\r\n${lines.join("")}\r\n`);
  const until = (isEnough: (bytes: Buffer) => boolean): Promise<Buffer> =>
    new Promise((resolve) => {
      const look = (): void => {
        const end = bytes.indexOf("\r\n\r\n");
        if (end < 0 || !isEnough(bytes.subarray(end + 4))) return;
        waiting.delete(look);
        resolve(bytes);
      };
      waiting.add(look);
      look();
    });
  return { socket, until, closed };
}

/** A frame as clients send it. */
function frame(
  first: number,
  payload: Buffer | string,
  over: { length?: number; isMasked?: boolean } = {},
): Buffer {
  const body = Buffer.from(payload);
  const { length = body.length, isMasked = true } = over;
  const mask = Buffer.from([1, 2, 3, 4]);
  const head =
    length < 126 ? Buffer.from([first, length]) : Buffer.from([first, 126, length >> 8, length & 0xff]);
  if (!isMasked) return Buffer.concat([head, body]);
  head[1]! |= 0x80;
  return Buffer.concat([head, mask, body.map((byte, i) => byte ^ mask[i & 3]!)]);
}

const TEXT = 0x81;
const codeOf = (answer: Buffer): number | undefined => {
  const rest = answer.subarray(answer.indexOf("\r\n\r\n") + 4);
  return rest[0] === 0x88 ? rest.readUInt16BE(2) : undefined;
};

it("answers texts, whole, in pieces, byte by byte, and with pings between", async () => {
  const { socket, until } = await client(await echo());
  await until(() => true);
  socket.write(frame(TEXT, "one"));
  socket.write(frame(0x01, "t"));
  socket.write(frame(0x89, "ping"));
  socket.write(frame(0x80, "wo"));
  for (const byte of frame(TEXT, "x".repeat(300))) socket.write(Buffer.from([byte]));
  const answer = (await until((bytes) => bytes.includes("X".repeat(300)))).toString("latin1");
  expect(answer).toMatch(/^HTTP\/1\.1 101 /);
  expect(answer).toContain("\x81\x03ONE\x8a\x04ping\x81\x03TWO");
  socket.destroy();
});

it("is not read from while it takes no answers to its pings", async () => {
  let connection!: WebSocketConnection;
  const { socket, until } = await client(await echo((made) => (connection = made)));
  await until(() => true);
  socket.pause();
  const pings = Buffer.concat(Array.from({ length: 1_000 }, () => frame(0x89, "x".repeat(125))));
  let mostLag = 0;
  // 20 MB: more than the system keeps on the way.
  for (let i = 0; i < 150; i++) {
    socket.write(pings);
    await new Promise((resolve) => setImmediate(resolve));
    mostLag = Math.max(mostLag, connection.lag);
  }
  expect(mostLag).toBeLessThan(256 * 1024);
  expect(socket.writableLength).toBeGreaterThan(1024 * 1024); // not taken
  // It goes on when the client does.
  socket.resume();
  socket.write(frame(TEXT, "still there"));
  await until((bytes) => bytes.subarray(-64).includes("STILL THERE"));
  socket.destroy();
});

it.each([
  ["a frame without a mask", frame(TEXT, "a", { isMasked: false }), 1002],
  ["a reserved bit", frame(TEXT | 0x40, "a"), 1002],
  ["an unknown kind", frame(0x8b, "a"), 1002],
  ["a long ping", frame(0x89, "a".repeat(126)), 1002],
  ["a piece of nothing", frame(0x80, "a"), 1002],
  ["bytes", frame(0x82, "a"), 1003],
  ["text that is no UTF-8", frame(TEXT, Buffer.from([0xff])), 1007],
  ["a length of 2^62", Buffer.from([TEXT, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]), 1009],
  [
    "pieces without end",
    Buffer.concat([frame(1, ""), ...Array.from({ length: 1_100 }, () => frame(0, ""))]),
    1009,
  ],
])("ends a connection for %s", async (_what, bytes, code) => {
  const { socket, until, closed } = await client(await echo());
  await until(() => true);
  socket.write(bytes);
  expect(codeOf(await until((rest) => rest.length >= 4))).toBe(code);
  await closed;
});

it.each([
  [{ "sec-websocket-key": "short" }, "400"],
  [{ "sec-websocket-version": "8" }, "400"],
  [{ upgrade: "h2c" }, "400"],
  [{ host: "evil.example" }, "403"],
])("refuses %j", async (headers, status) => {
  const { socket, until } = await client(await echo(), headers);
  expect((await until(() => true)).toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  socket.destroy();
});
