import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentLog } from "../parts/log.ts";
import { Indexer } from "./indexer.ts";

/** A thread that takes what clients say only when it is asked to. */
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

function joined(): {
  client: ReturnType<Indexer["listen"]>;
  end: () => void;
  hold: () => () => void;
  goOn: () => void;
} {
  const [end, goOn] = [vi.fn(), vi.fn()];
  const hold = vi.fn(() => goOn);
  return { client: indexer.listen({ send: () => undefined, end, hold }), end, hold, goOn };
}

it("takes no more from a client than the thread keeps up with", async () => {
  const { client, hold, goOn } = joined();
  client.hear("x".repeat(64 * 1024));
  expect(hold).not.toHaveBeenCalled();
  client.hear("x");
  client.hear("x"); // what was read before the pause
  expect(hold).toHaveBeenCalledTimes(1);
  expect(goOn).not.toHaveBeenCalled();
  await indexer.ask("head");
  expect(goOn).toHaveBeenCalledTimes(1);
  client.hear("x".repeat(64 * 1024 + 1));
  expect(hold).toHaveBeenCalledTimes(2);
});

it("gives a newcomer the place of one that has said nothing, else of the oldest", () => {
  const all = Array.from({ length: 64 }, joined);
  for (const [i, { client }] of all.entries()) if (i !== 5) client.hear("{}");
  joined().client.hear("{}");
  expect(all.map(({ end }) => vi.mocked(end).mock.calls.length).indexOf(1)).toBe(5);
  joined();
  expect(all[0]!.end).toHaveBeenCalledTimes(1);
  all[0]!.client.hear("{}"); // its connection may still bring something
});

/** Replaces the thread: the next question begins it. */
const useThread = (code: string): void => writeFileSync(join(directory, "indexer-worker.cjs"), code);

it("leaves out a block that ended the thread", async () => {
  useThread(`const { parentPort, workerData } = require("node:worker_threads");
parentPort.on("message", ({ kind, id }) => {
  if (kind !== "ask") return;
  const { skipped, reading } = workerData;
  if (skipped.length < 2) {
    Atomics.store(new Int32Array(reading), 0, 7 + skipped.length);
    process.exit(1); // ends the thread
  }
  parentPort.postMessage({ kind: "answer", id, status: 200, body: JSON.stringify(skipped) });
});`);
  const busy = expect.objectContaining({ code: "SERVER_BUSY" }) as object;
  await expect(indexer.ask("head")).rejects.toThrow(busy);
  await expect(indexer.ask("head")).rejects.toThrow(busy);
  expect(await indexer.ask("head")).toEqual({ status: 200, body: "[7,8]" });
});

it("passes long answers on as bytes, and says when they have come", async () => {
  useThread(`const { parentPort } = require("node:worker_threads");
let taken = 0;
parentPort.on("message", ({ kind, id, url }) => {
  if (kind === "taken") taken++;
  if (kind !== "ask") return;
  const body = url === "taken" ? String(taken) : new TextEncoder().encode("é".repeat(100_000));
  parentPort.postMessage({ kind: "answer", id, status: 200, body }, typeof body === "string" ? [] : [body.buffer]);
});`);
  const { body } = await indexer.ask("long");
  expect(Buffer.isBuffer(body)).toBe(true);
  expect(String(body)).toBe("é".repeat(100_000));
  expect(await indexer.ask("taken")).toEqual({ status: 200, body: "1" });
});

describe("a thread that keeps a question waiting", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());
  const answers = `if (message.kind === "ask" && message.url === "quick")
    parentPort.postMessage({ kind: "answer", id: message.id, status: 200, body: "" });`;

  it("goes on as long as it lives, however long that takes", async () => {
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

  it("ends when it gives no sign of life", async () => {
    useThread(`const { parentPort } = require("node:worker_threads");
parentPort.on("message", () => { for (;;); });`);
    const asked = indexer.ask("slow");
    vi.advanceTimersByTime(40_000);
    await expect(asked).rejects.toThrow(expect.objectContaining({ code: "SERVER_BUSY" }));
  });
});
