// Malformed HTTP: giant, endless, slow, pipelined, ambiguous. Each message is rejected or answered in order, hidden
// requests are never executed, and others are served meanwhile.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type BuiltCli, type ReadyLine, startedSandbox } from "../support/built-cli.ts";
import { LONG } from "../support/long-run.ts";

let cli: BuiltCli;
let ready: ReadyLine;
beforeAll(async () => {
  ({ cli, ready } = await startedSandbox());
});
afterAll(() => cli.dispose());

const open = new Set<Socket>();
afterEach(() => {
  for (const socket of open) socket.destroy();
  open.clear();
});

type Server = "sandboxd" | "layer1" | "runtime";
const SERVERS: readonly Server[] = ["sandboxd", "layer1", "runtime"];
const PATHS = { sandboxd: "/health", layer1: "/version", runtime: "/mode" } as const;
const WRITES = {
  sandboxd: "/contract_call",
  layer1: "/injection/operation",
  runtime: "/operations",
} as const;

async function socketTo(server: Server): Promise<Socket> {
  const { hostname, port } = new URL(ready[server]);
  const socket = connect(Number(port), hostname);
  open.add(socket);
  await once(socket, "connect");
  return socket;
}

const hostOf = (server: Server) => new URL(ready[server]).host;

/** The server's whole output until it hangs up, or until `enough` returns true. */
function answerOf(socket: Socket, enough: (text: string) => boolean = () => false): Promise<string> {
  let text = "";
  return new Promise((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (enough(text)) resolve(text);
    });
    socket.once("close", () => resolve(text));
    socket.once("error", () => resolve(text));
  });
}

async function raw(server: Server, bytes: string): Promise<string> {
  const socket = await socketTo(server);
  const answer = answerOf(socket);
  socket.end(Buffer.from(bytes, "latin1")); // tells a waiting server that no more comes
  return answer;
}

const statuses = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));

async function expectHealthy(): Promise<void> {
  const health = await fetch(`${ready.sandboxd}/health`, { signal: AbortSignal.timeout(5000) });
  expect(health.status).toBe(200);
}

it.each(SERVERS)("%s rejects giant headers and giant paths", async (server) => {
  const host = hostOf(server);
  const header = `GET ${PATHS[server]} HTTP/1.1\r\nhost: ${host}\r\nx: ${"a".repeat(100_000)}\r\n\r\n`;
  const many = `GET ${PATHS[server]} HTTP/1.1\r\nhost: ${host}\r\n${"x: y\r\n".repeat(20_000)}\r\n`;
  const path = `GET /${"a".repeat(100_000)} HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
  for (const bytes of [header, many, path]) expect(statuses(await raw(server, bytes))).toEqual([431]);
  await expectHealthy();
});

it.each(SERVERS)("%s rejects an endless body", async (server) => {
  const socket = await socketTo(server);
  const answer = answerOf(socket, (text) => text.includes("\r\n\r\n"));
  socket.write(
    `POST ${WRITES[server]} HTTP/1.1\r\nhost: ${hostOf(server)}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
  );
  const chunk = `10000\r\n${"a".repeat(0x10000)}\r\n`;
  let answered = false;
  void answer.then(() => (answered = true));
  for (let sent = 0; !answered && sent < 64 * 1024 * 1024; sent += 0x10000) {
    if (!socket.write(chunk)) await Promise.race([once(socket, "drain"), answer]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(statuses(await answer)).toEqual([413]);
  await expectHealthy();
});

it.each(SERVERS)("%s answers pipelined requests in their order", async (server) => {
  const socket = await socketTo(server);
  const one = (i: number) =>
    `GET ${i % 2 ? PATHS[server] : "/nowhere"} HTTP/1.1\r\nhost: ${hostOf(server)}\r\n\r\n`;
  const answer = answerOf(socket, (text) => statuses(text).length === 100);
  socket.write(Array.from({ length: 100 }, (_, i) => one(i)).join(""));
  expect(statuses(await answer)).toEqual(Array.from({ length: 100 }, (_, i) => (i % 2 ? 200 : 404)));
});

/** Messages whose end two readers could see in different places. `S` stands for a hidden shutdown request. */
const AMBIGUOUS: readonly (readonly [name: string, head: string, body: string])[] = [
  ["a length and chunks", "content-length: 4\r\ntransfer-encoding: chunked\r\n", "0\r\n\r\nS"],
  ["two lengths", "content-length: 0\r\ncontent-length: 400\r\n", "S"],
  ["a length with a sign", "content-length: +0\r\n", "S"],
  ["a length with a list", "content-length: 0, 0\r\n", "S"],
  ["a negative length", "content-length: -1\r\n", "S"],
  ["a length beyond all numbers", "content-length: 99999999999999999999999\r\n", "S"],
  ["an unknown encoding", "transfer-encoding: xchunked\r\n", "0\r\n\r\nS"],
  ["chunks that are not last", "transfer-encoding: chunked, identity\r\n", "0\r\n\r\nS"],
  ["a blank before the colon", "transfer-encoding : chunked\r\n", "0\r\n\r\nS"],
  ["a folded header", "x: y\r\n transfer-encoding: chunked\r\n", "0\r\n\r\nS"],
  ["a bare line feed", "x: y\ntransfer-encoding: chunked\r\n", "0\r\n\r\nS"],
  ["a bare carriage return", "x: y\rtransfer-encoding: chunked\r\n", "0\r\n\r\nS"],
  ["a NUL in a header", "x: a\u0000b\r\n", "S"],
  ["a chunk size beyond all numbers", "transfer-encoding: chunked\r\n", "fffffffffffffffff\r\n\r\nS"],
  ["an invalid chunk size", "transfer-encoding: chunked\r\n", "zz\r\n\r\nS"],
  ["a chunk longer than its size", "transfer-encoding: chunked\r\n", "1\r\nabc\r\n0\r\n\r\nS"],
];

it.each(AMBIGUOUS)(
  "a message with %s is rejected, and the request hidden in it is not executed",
  async (_name, head, body) => {
    for (const server of SERVERS) {
      const host = hostOf(server);
      const hidden = `PUT /shutdown HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
      const bytes = `POST ${WRITES[server]} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n${head}\r\n${body.replace("S", hidden)}`;
      const all = statuses(await raw(server, bytes));
      expect(all.length === 1 && all[0]! >= 400 && all[0]! < 500, `${server}: ${all.join()}`).toBe(true);
    }
    await expectHealthy();
  },
);

it.each([
  ["no host", "GET /health HTTP/1.1\r\n\r\n"],
  ["no host in the old version", "GET /health HTTP/1.0\r\n\r\n"],
  ["a foreign host in the line", "GET http://evil.example/health HTTP/1.1\r\nhost: evil.example\r\n\r\n"],
  ["a foreign host twice", "GET /health HTTP/1.1\r\nhost: evil.example\r\nhost: 127.0.0.1\r\n\r\n"],
  ["a tunnel", "CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\n"],
  ["another protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003"],
  ["noise", "\u0000\u0001\u0002\u0003\r\n\r\n"],
])("a request with %s is always rejected", async (_name, bytes) => {
  for (const server of SERVERS) {
    const socket = await socketTo(server);
    const answer = answerOf(socket, (text) => text.includes("\r\n\r\n"));
    socket.end(Buffer.from(bytes, "latin1"));
    const all = statuses(await answer);
    expect(
      all.every((status) => status >= 400 && status < 500),
      server,
    ).toBe(true);
  }
});

it("serves others while 300 slow clients hold half a request each, and disconnects them", async () => {
  const slow = await Promise.all(
    Array.from({ length: 300 }, async (_, i) => {
      const server = SERVERS[i % 3]!;
      const socket = await socketTo(server);
      socket.write(`GET ${PATHS[server]} HTTP/1.1\r\nhost: ${hostOf(server)}\r\nx: `);
      return socket;
    }),
  );
  const drip = setInterval(() => slow.forEach((socket) => socket.destroyed || socket.write("a")), 100);
  const gone = Promise.all(slow.map((socket) => answerOf(socket)));
  try {
    for (let i = 0; i < 20; i++) {
      for (const server of SERVERS) {
        const answer = await fetch(`${ready[server]}${PATHS[server]}`, { signal: AbortSignal.timeout(5000) });
        expect(answer.status).toBe(200);
      }
    }
    // The timeout of headers is 15 s, checked every 30 s: too long for the short run.
    if (LONG) for (const answer of await gone) expect([[], [408]]).toContainEqual(statuses(answer));
  } finally {
    clearInterval(drip);
  }
  await expectHealthy();
});
