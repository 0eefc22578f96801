import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { proofOf } from "../protocol/owner-proof.ts";
import { OwnerConnections } from "./owner-connections.ts";

const secret = { text: "0123456789abcdef-secret-of-the-owner", isDirect: true };

let server: Server | undefined;
const sockets = new Set<Socket>();
const hangUp = (): void => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
};
afterEach(() => {
  hangUp();
  server?.close();
});

/** A server that proves to know the secret, or does not. */
async function listening(port = 0, knows = true) {
  const seen: string[] = [];
  const proven = new Set<Socket>();
  const made = createServer((request, response) => {
    const nonce = new URL(request.url ?? "", "http://sandbox").searchParams.get("nonce");
    if (nonce === null) {
      const isProven = proven.has(request.socket);
      seen.push(request.headers.authorization === undefined ? "no secret" : isProven ? "proven" : "leak");
      return void response.end("{}");
    }
    seen.push("proof");
    proven.add(request.socket);
    const at = { address: "127.0.0.1", port: request.socket.localPort ?? 0 };
    response.end(JSON.stringify({ ...at, proof: proofOf(knows ? secret.text : "another", nonce, at) }));
  });
  made.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => made.listen(port, "127.0.0.1", resolve));
  server = made;
  return { port: (made.address() as AddressInfo).port, seen };
}

const baseOf = (port: number): string => `http://127.0.0.1:${port}`;

it("uses a proven connection again, and another one for requests at the same time", async () => {
  const { port, seen } = await listening();
  const owner = new OwnerConnections(baseOf(port));
  for (let i = 0; i < 3; i++) {
    await owner.request("/debug/session", secret, { method: "POST", body: "{}" });
    await turn();
  }
  expect(seen).toEqual(["proof", "proven", "proven", "proven"]);
  seen.length = 0;
  await Promise.all([owner.request("/a", secret, {}), owner.request("/b", secret, {})]);
  expect(seen.sort()).toEqual(["proof", "proven", "proven"]);
});

it("asks for a new proof when the connection is gone, or the secret is another", async () => {
  const { port, seen } = await listening();
  const owner = new OwnerConnections(baseOf(port));
  await owner.request("/a", secret, {});
  await turn();
  hangUp();
  await expect.poll(() => [...sockets].length).toBe(0);
  await owner.request("/b", secret, {}).catch(() => owner.request("/b", secret, {}));
  expect(seen.slice(-2)).toEqual(["proof", "proven"]);
  const other = { ...secret, text: "fedcba9876543210-secret-of-another" };
  await turn();
  await expect(owner.request("/c", other, {})).rejects.toMatchObject({ code: "OWNER_UNPROVEN" });
  expect(seen.at(-1)).toBe("proof");
});

it("never sends the secret to a stranger that takes the port", async () => {
  const { port } = await listening();
  const owner = new OwnerConnections(baseOf(port));
  await owner.request("/a", secret, {});
  await turn();
  hangUp();
  await new Promise((resolve) => server!.close(resolve));
  const stranger = await listening(port, false);
  for (let i = 0; i < 3; i++)
    await expect(owner.request("/b", secret, {})).rejects.toMatchObject({
      code: expect.stringMatching(/OWNER_UNPROVEN|NETWORK_UNREACHABLE/) as string,
    });
  expect(new Set(stranger.seen)).toEqual(new Set(["proof"]));
});
