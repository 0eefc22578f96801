import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { proofOf } from "../protocol/owner-proof.ts";
import { createSandboxClient, type SandboxClient } from "./sandbox-client.ts";

let server: Server;
let answer: { status: number; body: string };
const SECRET = "the-secret-of-the-owner";
let secretOfServer: string;
let shown: (string | undefined)[];
let client: SandboxClient;
beforeEach(async () => {
  shown = [];
  secretOfServer = SECRET;
  server = createServer((request, response) => {
    const nonce = new URL(request.url ?? "", "http://sandbox").searchParams.get("nonce");
    if (nonce !== null) {
      const at = { address: "127.0.0.1", port: request.socket.localPort ?? 0 };
      response.end(JSON.stringify({ ...at, proof: proofOf(secretOfServer, nonce, at) }));
      return;
    }
    shown.push(request.headers.authorization);
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createSandboxClient(endpoint, { adminSecret: () => ({ text: SECRET, isDirect: true }) });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

it.each([
  ["GET", () => client.snapshots()],
  ["POST", () => client.takeSnapshot()],
  ["PUT", () => client.saveSnapshot("x", { replace: false })],
  ["PUT without a body", () => client.shutdown()],
  ["bake", () => client.bake(1)],
])("passes on the sandbox's error for a failed %s, with its code and next step", async (_what, ask) => {
  answer = { status: 503, body: '{"error":{"code":"SANDBOX_BUSY","message":"It is busy.","next":"Wait."}}' };
  await expect(ask()).rejects.toMatchObject({ code: "SANDBOX_BUSY", message: "It is busy.", next: "Wait." });
  answer = { status: 502, body: "<html>a proxy</html>" };
  await expect(ask()).rejects.toMatchObject({ code: "NETWORK_UNREACHABLE" });
});

it("sends the owner's secret with admin requests only", async () => {
  answer = { status: 200, body: '{"snapshots":[],"id":"1","level":3}' };
  await client.snapshots();
  await client.health();
  expect(shown).toEqual([undefined, undefined]);
  await client.bake(1);
  await client.takeSnapshot();
  expect(shown.slice(2)).toEqual(["Bearer the-secret-of-the-owner", "Bearer the-secret-of-the-owner"]);
});

it.each(["a\nb: level 1", "\u001b[2J", "../x", "x".repeat(65), "a b", "$(x)", ""])(
  "believes in no snapshot named %j",
  async (id) => {
    const snapshot = { id, level: 1, takenAt: "2026-01-01T00:00:00.000Z" };
    answer = { status: 200, body: JSON.stringify({ snapshots: [snapshot] }) };
    await expect(client.snapshots()).rejects.toMatchObject({ code: "ANSWER_MALFORMED" });
  },
);

it("reports whether it has the owner's secret", async () => {
  answer = { status: 204, body: "" };
  expect(await client.isOwner()).toBe(true);
  secretOfServer = "the-secret-of-another";
  expect(await client.isOwner()).toBe(false);
  expect(shown).toEqual([]);
});

it("does not wait for ever for parts that keep changing", async () => {
  let changes = 0;
  answer = {
    status: 503,
    get body() {
      const parts = [{ name: "layer1_node", state: "starting", detail: `attempt ${++changes}` }];
      return JSON.stringify({ pid: 1, version: "1", status: "starting", parts });
    },
  };
  await expect(client.waitUntilHealthy({ silenceMs: 50 })).rejects.toMatchObject({
    code: "SANDBOX_NOT_RUNNING",
  });
  expect(changes).toBeGreaterThan(2);
});
