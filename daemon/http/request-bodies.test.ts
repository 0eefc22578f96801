import { once } from "node:events";
import { type ClientRequest, request as httpRequest } from "node:http";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startServer } from "./test-server.ts";

const MIB = 1024 * 1024;
let server: FastifyInstance;
let base: URL;
const open: ClientRequest[] = [];

beforeEach(async () => {
  const addRoutes = (target: FastifyInstance): void => {
    target.post("/", (request) => ({ length: (request.body as { text: string }).text.length }));
    target.get("/", () => "here");
  };
  ({ server, base } = await startServer(addRoutes, { bodyLimit: MIB }));
});
afterEach(async () => {
  for (const each of open.splice(0)) each.destroy();
  await server.close();
});

/** Starts a request of which only `bytes` of the body are sent. */
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

it.each([MIB, undefined])("makes room by dropping stalled bodies (length %s)", async (declared) => {
  // Room for 16 MiB of bodies of this size.
  const stalled = Array.from({ length: 32 }, () => begin(MIB / 2, declared));
  const first = await Promise.race([
    ...stalled.map(({ status }) => status),
    ...[0, 0].map(() => begin(MIB / 2, declared).status),
  ]);
  expect(first).toBe(503);
  // Once the stalled ones are old.
  const answerToPart = async (): Promise<number | string> => {
    const { sent, status } = begin(MIB / 2, undefined);
    sent.end('"}');
    return status;
  };
  await expect.poll(answerToPart, { timeout: 10_000 }).toBe(200);
  for (let i = 0; i < 20; i++) expect(await answerToPart()).toBe(200);
});

it("keeps room for small bodies while large ones stall", async () => {
  for (let i = 0; i < 40; i++) begin(MIB / 2, undefined);
  for (let i = 0; i < 20; i++) {
    const { sent, status } = begin(MIB / 8, undefined);
    sent.end('"}');
    expect(await status).toBe(200);
  }
});

it("frees the room of answered bodies", async () => {
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

it("counts neither small bodies nor a declared size", async () => {
  for (let i = 0; i < 100; i++) begin(10, MIB);
  const body = JSON.stringify({ text: "x" });
  const answer = await fetch(base, { method: "POST", body, headers: { "content-type": "application/json" } });
  expect(await answer.json()).toEqual({ length: 1 });
});

it.each([16 * MIB, undefined])(
  "lets the sender of too much read the refusal, then hangs up (length %s)",
  async (declared) => {
    const { sent, status } = begin(4 * MIB, declared);
    const closed = once(sent, "close");
    expect(await status).toBe(413);
    sent.write("x".repeat(MIB)); // still accepted: a reset here would lose the answer
    await closed;
  },
);
