// Entry of the indexer's thread: no query delays the servers, and a separate heap bounds its memory.
import { parentPort, workerData } from "node:worker_threads";
import type { Log } from "../parts/log.ts";
import { answer } from "./answers/answer.ts";
import { followChain } from "./chain/follow-chain.ts";
import { keepHeapSmall } from "./heap-keeper.ts";
import { Hub } from "./hub/hub.ts";
import type { FromIndexer, IndexerSettings, ToIndexer } from "./indexer-messages.ts";
import { OneLongAnswer } from "./query/long-answers.ts";
import { Turns } from "./query/turns.ts";

const port = parentPort!;
const { endpoint, maxBlocks, restored, skipped, reading } = workerData as IndexerSettings;
const tell = (message: FromIndexer): void => port.postMessage(message);
const levelRead = new Int32Array(reading);
const turns = new Turns();
const keepHeap = keepHeapSmall();

/** Bodies from this length on are transferred as bytes. */
const LONG_BODY = 64 * 1024;

const line =
  (level: "debug" | "info" | "warn" | "error") =>
  (data: object, message: string): void =>
    tell({ kind: "log", level, message: `${message} ${JSON.stringify(data)}` });
const log: Log = { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };

const chain = followChain({
  endpoint,
  maxBlocks,
  restored,
  skipped,
  onReading: (block) => {
    Atomics.store(levelRead, 0, block ?? 0);
    if (block === undefined) keepHeap();
  },
  log,
  signal: new AbortController().signal, // the thread is terminated, never aborted
  onHead: (block) => hub.publish(block),
  onReorganisation: (level) => hub.reorganise(level),
});
const hub = new Hub({
  index: chain.index,
  upToDate: chain.upToDate,
  send: (id, text) => tell({ kind: "hub-text", id, text }),
  end: (id) => tell({ kind: "hub-end", id }),
  turns,
  flush: () => {
    tell({ kind: "hub-flush" });
    return new Promise<void>((resolve) => flushes.push(resolve));
  },
});
const flushes: (() => void)[] = [];

/** Callbacks for answers that are not delivered yet. */
const undelivered = new Map<number, () => void>();
const answering = { chain, turns, longAnswers: new OneLongAnswer() };

async function answerTo(id: number, url: string): Promise<void> {
  const { status, body, onDelivered } = await answer(answering, url);
  undelivered.set(id, onDelivered);
  if (body.length < LONG_BODY) return tell({ kind: "answer", id, status, body });
  const bytes = new TextEncoder().encode(body);
  port.postMessage({ kind: "answer", id, status, body: bytes } satisfies FromIndexer, [bytes.buffer]);
}

port.on("message", (message: ToIndexer) => {
  switch (message.kind) {
    case "ask":
      void answerTo(message.id, message.url);
      return;
    case "delivered":
      undelivered.get(message.id)?.();
      undelivered.delete(message.id);
      return;
    case "ping":
      return tell({ kind: "alive" });
    case "hub-flushed":
      return flushes.shift()?.();
    case "restored":
      return chain.restore(message.restored);
    case "hub-text":
      hub.hear(message.id, message.text);
      return tell({ kind: "hub-heard", id: message.id, length: message.text.length });
    case "hub-left":
      return hub.leave(message.id);
  }
});
