// A port whose holder is about to leave it, and one whose holder stays.
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, it } from "vitest";
import { defaultConfig } from "../config/schema.ts";
import { listen } from "../http/listen.ts";
import { VERSION } from "../protocol/constants.ts";
import { endingHolder } from "./attach.ts";

let answer: RequestListener;
let holder: Server;
let server: FastifyInstance;
beforeEach(async () => {
  holder = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
  server = fastify();
});
afterEach(async () => {
  holder.close();
  await server.close();
});

const leave = (): void => {
  holder.close();
  holder.closeAllConnections();
};

function bind(): Promise<string> {
  const { port } = holder.address() as AddressInfo;
  const config = { ...defaultConfig(), server_host: "127.0.0.1", server_port: port };
  return listen(server, {
    host: "127.0.0.1",
    port,
    purpose: "sandboxd",
    configKey: "server_port",
    isFreed: endingHolder(config),
  });
}

const health = (status: string): RequestListener => {
  return (_request, response) =>
    response.end(JSON.stringify({ status, pid: 1, version: VERSION, parts: [], clients: 0 }));
};

it("is waited for while a sandbox on it shuts down", async () => {
  let asked = 0;
  answer = (request, response) => {
    if (++asked === 4) return leave();
    health("stopping")(request, response);
  };
  expect(await bind()).toMatch(/^http:/);
  expect(asked).toBe(4);
});

it("is tried again when its holder ends instead of answering", async () => {
  answer = leave;
  expect(await bind()).toMatch(/^http:/);
});

it.each([
  ["a sandbox that runs", health("healthy")],
  ["another program", (_request, response) => response.writeHead(404).end("Not here")],
  ["one that closes after every question", (request) => request.socket.destroy()],
  ["one that never answers", () => undefined],
] satisfies [string, RequestListener][])("is in use by %s", async (_name, listener) => {
  answer = listener;
  let connections = 0;
  holder.on("connection", () => connections++);
  await expect(bind()).rejects.toMatchObject({ code: "PORT_IN_USE" });
  expect(connections).toBeLessThan(3); // nothing is waited for
});
