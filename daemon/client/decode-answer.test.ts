import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLayer1Client } from "./layer1-client.ts";
import { createRuntimeClient } from "./runtime-client.ts";
import { createSandboxClient } from "./sandbox-client.ts";

/** Answers anything with 200 and a text: a portal page, another program at the port, a newer node. */
let server: Server;
let sent: string;
let url: string;
beforeEach(async () => {
  server = createServer((_request, response) => void response.writeHead(200).end(sent));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Everything that a client reads. */
const reads: Record<string, () => Promise<unknown>> = {
  "runtime: account": () => createRuntimeClient(url).account("tz1"),
  "runtime: balance": () => createRuntimeClient(url).balance("tz1"),
  "runtime: nonce": () => createRuntimeClient(url).nonce("tz1"),
  "runtime: code": () => createRuntimeClient(url).code("KT1"),
  "runtime: subkeys": () => createRuntimeClient(url).subkeys("KT1", undefined),
  "runtime: receipt": () => createRuntimeClient(url).receipt("00"),
  "runtime: waitForReceipt": () => createRuntimeClient(url).waitForReceipt("00"),
  "runtime: deposits": () => createRuntimeClient(url).deposits(),
  "runtime: operations": () => createRuntimeClient(url).operations(3),
  "runtime: trace": () => createRuntimeClient(url).trace("00"),
  "layer 1: balance": () => createLayer1Client(url).balance("tz1"),
  "layer 1: level": () => createLayer1Client(url).level(),
  "sandbox: config": () => createSandboxClient(url).config(),
  "sandbox: endpoints": () => createSandboxClient(url).endpoints(),
  "sandbox: accounts": () => createSandboxClient(url).accounts(),
  "sandbox: snapshots": () => createSandboxClient(url).snapshots(),
  "sandbox: takeSnapshot": () => createSandboxClient(url).takeSnapshot(),
};

const ANSWERS = ["<html>Sign in</html>", "", "true", "[[]]", '{"accounts":[{}],"result":{},"trace":7}'];

it.each(Object.keys(reads))("%s refuses an answer of another form, and says which", async (name) => {
  for (sent of ANSWERS) {
    // Any object is a configuration.
    if (name === "sandbox: config" && sent.startsWith("{")) continue;
    await expect(reads[name]!(), sent).rejects.toMatchObject({
      code: "ANSWER_MALFORMED",
      data: { url: expect.stringContaining(url), reason: expect.stringMatching(/expected|not JSON/) },
    });
  }
});
