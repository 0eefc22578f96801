import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SandboxError } from "../protocol/errors.ts";
import { createRuntimeClient, type RuntimeClient } from "./runtime-client.ts";

let server: Server;
let body: string;
let client: RuntimeClient;
beforeEach(async () => {
  server = createServer((_request, response) => void response.writeHead(503).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  client = createRuntimeClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

it("passes on the error of our server, with its code and next step", async () => {
  const busy = new SandboxError("SHUTTING_DOWN");
  body = JSON.stringify(busy.toBody());
  const expected = { code: "SHUTTING_DOWN", message: busy.message, next: busy.next };
  await expect(client.account("tz1")).rejects.toMatchObject(expected);
  await expect(client.receipt("00")).rejects.toMatchObject(expected);
});

it.each([
  ["a sentence", "The pool is full", /The pool is full/],
  ["an error in JSON", '{"error":"The pool is full"}', /The pool is full/],
  ["nothing", "", /status 503/],
])("reports %s of another node as the reason", async (_what, sent, reason) => {
  body = sent;
  await expect(client.account("tz1")).rejects.toMatchObject({
    code: "OPERATION_FAILED",
    message: expect.stringMatching(reason),
  });
});
