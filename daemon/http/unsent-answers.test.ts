import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MAX_UNSENT_BYTES, UnsentAnswers } from "./unsent-answers.ts";

const MIB = 1024 * 1024;
let server: Server;
let unsent: UnsentAnswers;
let admitted: boolean[];
let responses: ServerResponse[];
let extraHeader = "";
beforeEach(async () => {
  unsent = new UnsentAnswers(({ headers }) => headers.authorization === "owner");
  admitted = [];
  responses = [];
  extraHeader = "";
  server = createServer((request, response) => {
    responses.push(response);
    if (request.url === "/waits") return; // the responses behind it on its connection wait with it
    const go = (isIn: boolean): void => {
      admitted.push(isIn);
      response.end(isIn ? Buffer.alloc(16 * MIB) : "no");
    };
    if (request.url === "/stored") unsent.whenAdmitted(response, 16 * MIB, go);
    else go(unsent.admit(response, 16 * MIB));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

afterEach(() => void vi.restoreAllMocks());

function reader(...paths: string[]): Socket {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => undefined);
  for (const path of paths) socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n${extraHeader}\r\n`);
  return socket.pause();
}

it("admits large answers up to the limit, and more once they have been read", async () => {
  const sockets = Array.from({ length: 5 }, () => reader("/"));
  await expect.poll(() => admitted.length).toBe(5);
  expect(admitted).toEqual([true, true, false, false, false]);
  expect(unsent.bytes).toBe(MAX_UNSENT_BYTES);
  for (const socket of sockets) socket.resume();
  await expect.poll(() => unsent.bytes).toBe(0);
});

it("admits no answer that is queued behind another on its connection", async () => {
  reader("/waits", "/", "/");
  await expect.poll(() => admitted).toEqual([false, false]);
  expect(unsent.bytes).toBe(0);
});

it("forgets answers whose readers have gone", async () => {
  const socket = reader("/");
  await expect.poll(() => admitted).toEqual([true]);
  expect(unsent.bytes).toBe(16 * MIB);
  socket.destroy();
  await expect.poll(() => unsent.bytes).toBe(0);
});

it("gives room to the next remaining reader when several leave at once", async () => {
  for (const path of ["/", "/", "/stored", "/stored"]) {
    const before = responses.length;
    reader(path);
    await expect.poll(() => responses.length).toBe(before + 1);
  }
  expect(admitted).toEqual([true, true]);
  // Both in one turn: when the first close event fires, the third socket is already destroyed but its own has not fired.
  for (const index of [0, 2]) responses[index]!.req.socket.destroy();
  await expect.poll(() => admitted).toEqual([true, true, true]);
});

it("queues stored answers for room, and forgets those whose readers leave", async () => {
  const slow = [reader("/"), reader("/")];
  await expect.poll(() => admitted).toEqual([true, true]);
  const gone = reader("/stored");
  const others = Array.from({ length: 6 }, () => reader("/stored").resume());
  let arrived = 0;
  for (const other of others) other.once("data", () => arrived++);
  gone.destroy();
  expect(arrived).toBe(0);
  for (const socket of slow) socket.resume();
  await expect.poll(() => arrived).toBe(6);
  await expect.poll(() => unsent.bytes).toBe(0);
  expect(admitted.every((isIn) => isIn)).toBe(true);
});

it("cuts slow readers once others need the room", async () => {
  const slow = reader("/");
  reader("/");
  await expect.poll(() => admitted).toEqual([true, true]);
  const cut = once(slow, "close");
  const now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => now + 6_000);
  const third = reader("/").resume();
  await expect.poll(() => admitted).toEqual([true, true, true]);
  slow.resume();
  await cut;
  third.destroy();
});

it("does not bound the owner's answers or count them against others", async () => {
  extraHeader = "authorization: owner\r\n";
  for (let i = 0; i < 4; i++) reader("/");
  await expect.poll(() => admitted).toEqual([true, true, true, true]);
  expect(unsent.bytes).toBe(0);
});
