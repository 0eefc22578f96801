import { createServer, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTestNode } from "../layer1/testing/test-node.ts";
import { BOOTSTRAP_ACCOUNTS } from "../protocol/constants.ts";
import { parseSecretKey } from "../protocol/secret-key.ts";
import { operationHashesOf } from "./layer1-answers.ts";
import { createLayer1Client } from "./layer1-client.ts";

const [SENDER, RECEIVER] = [BOOTSTRAP_ACCOUNTS[1], BOOTSTRAP_ACCOUNTS[2]];

/** A real layer 1 that makes a block for each operation, and one that makes none. */
const ready = createTestNode({ blockTimeSeconds: 3600 });
const idle = createTestNode({ blockTimeSeconds: 3600, timing: "real" });

beforeAll(async () => {
  for (const part of [ready, idle]) await part.start(new AbortController().signal);
});
afterAll(async () => {
  for (const part of [ready, idle]) await part.stop(1_000);
});

let front: Server | undefined;
afterEach(() => {
  front?.closeAllConnections();
  front?.close();
});

/** The layer 1 behind a server that answers the stream of heads in its own way. */
async function behind(node: typeof ready, heads: (answer: ServerResponse) => void): Promise<string> {
  front = createServer((asked, answer) => {
    if (asked.url === "/monitor/heads/main") return heads(answer);
    const { method = "GET", headers } = asked;
    const passed = request(node.endpoint() + asked.url!, { method, headers }, (given) => {
      answer.writeHead(given.statusCode!, given.headers);
      given.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((listening) => front!.listen(0, "127.0.0.1", listening));
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
}

const transfer = { key: parseSecretKey(SENDER.secretKey), destination: RECEIVER.address, amount: 7n };

describe("an operation", () => {
  it.each<[string, (answer: ServerResponse) => void]>([
    ["is refused", (answer) => answer.writeHead(503).end("[]")],
    ["ends at once", (answer) => answer.writeHead(200).end()],
    ["breaks off", (answer) => answer.writeHead(200).write("\n", () => answer.destroy())],
  ])("is found in its block when the stream of heads %s", async (_, heads) => {
    let asked = 0;
    const endpoint = await behind(ready, (answer) => {
      asked++;
      heads(answer);
    });
    const client = createLayer1Client(endpoint);
    const before = await client.balance(RECEIVER.address);
    const { hash, level } = await client.send(transfer);
    expect(asked).toBe(1);
    expect(
      (await client.get(`/chains/main/blocks/${level}/operation_hashes`, operationHashesOf)).flat(),
    ).toEqual([hash]);
    expect(await client.balance(RECEIVER.address)).toBe(before + 7n);
  });

  it("that no block contains ends at its deadline, or when it is given up, without a stream", async () => {
    const refuse = (answer: ServerResponse): void => void answer.writeHead(503).end("[]");
    const client = createLayer1Client(await behind(idle, refuse));
    await expect(client.send(transfer, { timeoutMs: 200 })).rejects.toMatchObject({
      code: "OPERATION_FAILED",
    });
    const given = new AbortController();
    const other = { ...transfer, key: parseSecretKey(RECEIVER.secretKey), destination: SENDER.address };
    const sent = client.send(other, {
      signal: given.signal,
      onStep: (step) => void (step === "injected" && given.abort()),
    });
    await expect(sent).rejects.toMatchObject({ code: "CANCELLED" });
  });
});
