import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentLog } from "../parts/log.ts";
import { Indexer } from "./indexer.ts";

/** A thread that processes clients' texts only on demand. */
const SLOW = `const { parentPort } = require("node:worker_threads");
const heard = [];
parentPort.on("message", (message) => {
  if (message.kind === "hub-text") heard.push({ kind: "hub-heard", id: message.id, length: message.text.length });
  if (message.kind !== "ask") return;
  for (const one of heard.splice(0)) parentPort.postMessage(one);
  parentPort.postMessage({ kind: "answer", id: message.id, status: 200, body: "" });
});`;

let directory: string;
let indexer: Indexer;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "functez-indexer-"));
  writeFileSync(join(directory, "indexer-worker.cjs"), SLOW);
  indexer = new Indexer({
    directory,
    layer1Endpoint: () => "http://127.0.0.1:1",
    maxBlocks: 1,
    log: silentLog,
  });
});
afterEach(async () => {
  await indexer.stop();
  rmSync(directory, { recursive: true });
});

function connectClient(): {
  client: ReturnType<Indexer["listen"]>;
  end: () => void;
  hold: () => () => void;
  goOn: () => void;
} {
  const [end, goOn] = [vi.fn(), vi.fn()];
  const hold = vi.fn(() => goOn);
  return { client: indexer.listen({ send: () => undefined, end, hold }), end, hold, goOn };
}

it("pauses a client when the thread falls behind", async () => {
  const { client, hold, goOn } = connectClient();
  client.hear("x".repeat(64 * 1024));
  expect(hold).not.toHaveBeenCalled();
  client.hear("x");
  client.hear("x"); // read before the pause
  expect(hold).toHaveBeenCalledTimes(1);
  expect(goOn).not.toHaveBeenCalled();
  await indexer.ask("head");
  expect(goOn).toHaveBeenCalledTimes(1);
  client.hear("x".repeat(64 * 1024 + 1));
  expect(hold).toHaveBeenCalledTimes(2);
});

it("evicts a silent client for a new one, or else the oldest", () => {
  const all = Array.from({ length: 64 }, connectClient);
  for (const [i, { client }] of all.entries()) if (i !== 5) client.hear("{}");
  connectClient().client.hear("{}");
  expect(all.map(({ end }) => vi.mocked(end).mock.calls.length).indexOf(1)).toBe(5);
  connectClient();
  expect(all[0]!.end).toHaveBeenCalledTimes(1);
  all[0]!.client.hear("{}"); // its connection may still deliver text
});

/** Replaces the thread's code; the next query starts it. */
const useThread = (code: string): void => writeFileSync(join(directory, "indexer-worker.cjs"), code);

it("skips a block that crashed the thread", async () => {
  useThread(`const { parentPort, workerData } = require("node:worker_threads");
parentPort.on("message", ({ kind, id }) => {
  if (kind !== "ask") return;
  const { skipped, reading } = workerData;
  if (skipped.length < 2) {
    Atomics.store(new Int32Array(reading), 0, 7 + skipped.length);
    process.exit(1); // crashes the thread
  }
  parentPort.postMessage({ kind: "answer", id, status: 200, body: JSON.stringify(skipped) });
});`);
  const busy = expect.objectContaining({ code: "SERVER_BUSY" }) as object;
  await expect(indexer.ask("head")).rejects.toThrow(busy);
  await expect(indexer.ask("head")).rejects.toThrow(busy);
  expect(await indexer.ask("head")).toEqual({ status: 200, body: "[7,8]" });
});

it("transfers long answers as bytes, and confirms their delivery", async () => {
  useThread(`const { parentPort } = require("node:worker_threads");
let delivered = 0;
parentPort.on("message", ({ kind, id, url }) => {
  if (kind === "delivered") delivered++;
  if (kind !== "ask") return;
  const body = url === "delivered" ? String(delivered) : new TextEncoder().encode("é".repeat(100_000));
  parentPort.postMessage({ kind: "answer", id, status: 200, body }, typeof body === "string" ? [] : [body.buffer]);
});`);
  const { body } = await indexer.ask("long");
  expect(Buffer.isBuffer(body)).toBe(true);
  expect(String(body)).toBe("é".repeat(100_000));
  expect(await indexer.ask("delivered")).toEqual({ status: 200, body: "1" });
});

describe("a thread with a pending query", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());
  const answers = `if (message.kind === "ask" && message.url === "quick")
    parentPort.postMessage({ kind: "answer", id: message.id, status: 200, body: "" });`;

  it("goes on as long as it answers pings", async () => {
    useThread(`const { parentPort } = require("node:worker_threads");
parentPort.on("message", (message) => {
  if (message.kind === "ping") parentPort.postMessage({ kind: "alive" });
  ${answers}
});`);
    const slow = vi.fn();
    void indexer.ask("slow").catch(slow);
    for (let i = 0; i < 40; i++) {
      vi.advanceTimersByTime(5_000);
      await indexer.ask("quick"); // by now it has answered the ping too
    }
    expect(slow).not.toHaveBeenCalled();
  });

  it("is terminated when it does not", async () => {
    useThread(`const { parentPort } = require("node:worker_threads");
parentPort.on("message", () => { for (;;); });`);
    const asked = indexer.ask("slow");
    vi.advanceTimersByTime(40_000);
    await expect(asked).rejects.toThrow(expect.objectContaining({ code: "SERVER_BUSY" }));
  });
});
