import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
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
