import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { proofOf } from "../protocol/owner-proof.ts";
import { provesSecret, requestAsOwner } from "./owner-request.ts";

const SECRET = "0123456789abcdef-secret-of-the-owner";
const direct = { text: SECRET, isDirect: true };
const forwarded = { text: SECRET, isDirect: false };
const refused = { code: "OWNER_UNPROVEN", data: { endpoint: expect.stringContaining("http") as string } };

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Records every byte received. */
async function impostor(answer: string | ((request: string) => Promise<string>)) {
  let received = "";
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      void (async () => {
        const body = typeof answer === "string" ? answer : await answer(bytes.toString("latin1"));
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
      })();
    });
  });
  return { base: await listening(server), received: () => received };
}

/** A server that knows the secret, recording the secrets it received and their connections. */
async function honest(options: { readonly close?: boolean } = {}) {
  const shown: { readonly socket: Socket; readonly authorization: string | undefined }[] = [];
  const proven = new Set<Socket>();
  const server = createHttpServer((request, response) => {
    const nonce = new URL(request.url ?? "", "http://sandbox").searchParams.get("nonce");
    if (options.close) response.setHeader("connection", "close");
    if (nonce === null) {
      shown.push({ socket: request.socket, authorization: request.headers.authorization });
      response.end("{}");
      return;
    }
    proven.add(request.socket);
    const at = { address: "127.0.0.1", port: request.socket.localPort ?? 0 };
    response.end(JSON.stringify({ ...at, proof: proofOf(SECRET, nonce, at) }));
  });
  return { base: await listening(server), shown, proven };
}

it("sends the secret to a server that proves to know it, over the connection of the proof", async () => {
  const server = await honest();
  const { status } = await requestAsOwner(server.base, "/layer1/bake", direct, { method: "POST" });
  expect(status).toBe(200);
  expect(server.shown.map(({ authorization }) => authorization)).toEqual([`Bearer ${SECRET}`]);
  expect(server.proven).toEqual(new Set(server.shown.map(({ socket }) => socket)));
});

it.each([
  "{}",
  "[]",
  "null",
  "no JSON",
  '{"address":"127.0.0.1","port":1,"proof":""}',
  `{"address":"127.0.0.1","port":1,"proof":"${"0".repeat(64)}"}`,
])("sends no secret to a server that answers %s", async (answer) => {
  for (const secret of [direct, forwarded]) {
    const server = await impostor(answer);
    await expect(requestAsOwner(server.base, "/layer1/bake", secret, { body: "{}" })).rejects.toMatchObject(
      refused,
    );
    expect(server.received()).toMatch(/^GET \/owner\/proof\?nonce=[0-9a-f]{64} /);
    expect(server.received()).not.toContain("uthorization");
    expect(server.received()).not.toContain(SECRET.slice(0, 8));
  }
});

it("sends no secret to a server that relays the challenge to the real sandbox of this machine", async () => {
  const real = await honest();
  const relay = await impostor(async (request) => {
    const path = / (\S+) HTTP/.exec(request)?.[1] ?? "";
    return (await fetch(`${real.base}${path}`)).text();
  });
  await expect(requestAsOwner(relay.base, "/layer1/bake", direct, { body: "{}" })).rejects.toMatchObject(
    refused,
  );
  expect(relay.received()).not.toContain("uthorization");
  // A forwarded port is an intended relay: a container, an ssh tunnel.
  expect(await provesSecret(relay.base, forwarded, {})).toBe(true);
});

it("never uses a connection for the secret other than the one of the proof", async () => {
  const server = await honest({ close: true });
  await expect(requestAsOwner(server.base, "/layer1/bake", direct, { method: "POST" })).rejects.toMatchObject(
    { code: "NETWORK_UNREACHABLE" },
  );
  expect(server.shown).toEqual([]);
});

it("passes on the sandbox's reason for refusing the challenge, and treats a server without the route as a stranger", async () => {
  const errorBody = (code: string) => JSON.stringify({ error: { code, message: "No.", next: "Nothing." } });
  const answering = async (status: number, body: string) =>
    provesSecret(
      await listening(createHttpServer((_request, response) => response.writeHead(status).end(body))),
      direct,
      {},
    );
  await expect(answering(403, errorBody("FORBIDDEN_HOST"))).rejects.toMatchObject({ code: "FORBIDDEN_HOST" });
  expect(await answering(404, errorBody("NOT_FOUND"))).toBe(false);
  expect(await answering(502, "<html>")).toBe(false);
});
