// Entry of the thread in which the indexer lives: whatever somebody asks for, no other server waits for it, and what it
// keeps is bounded by a heap of its own.
import { parentPort, workerData } from "node:worker_threads";
import type { Log } from "../parts/log.ts";
import { answer } from "./answers/answer.ts";
import { followChain } from "./chain/follow-chain.ts";
import { Hub } from "./hub/hub.ts";
import type { FromIndexer, IndexerSettings, ToIndexer } from "./indexer-messages.ts";
import { OneLongAnswer } from "./query/long-answers.ts";
import { Turns } from "./query/turns.ts";

const port = parentPort!;
const { endpoint, maxBlocks, restored, skipped, reading } = workerData as IndexerSettings;
const tell = (message: FromIndexer): void => port.postMessage(message);
const levelRead = new Int32Array(reading);
const turns = new Turns();

/** Bodies of so many characters and more are passed on as bytes. */
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
  onReading: (block) => void Atomics.store(levelRead, 0, block ?? 0),
  log,
  signal: new AbortController().signal, // it ends with the thread
  onHead: (block) => hub.tell(block),
  onReorganisation: (level) => hub.reorganise(level),
});
const hub = new Hub({
  index: chain.index,
  upToDate: chain.upToDate,
  send: (id, text) => tell({ kind: "hub-text", id, text }),
  end: (id) => tell({ kind: "hub-end", id }),
  turns,
  taken: () => {
    tell({ kind: "hub-waits" });
    return new Promise<void>((resolve) => hubWaits.push(resolve));
  },
});
const hubWaits: (() => void)[] = [];

/** Places of long answers that are on their way. */
const onTheirWay = new Map<number, () => void>();
const answering = { chain, turns, longAnswers: new OneLongAnswer() };

async function answerTo(id: number, url: string): Promise<void> {
  const { status, body, passedOn } = await answer(answering, url);
  onTheirWay.set(id, passedOn);
  if (body.length < LONG_BODY) return tell({ kind: "answer", id, status, body });
  const bytes = new TextEncoder().encode(body);
  port.postMessage({ kind: "answer", id, status, body: bytes } satisfies FromIndexer, [bytes.buffer]);
}

port.on("message", (message: ToIndexer) => {
  switch (message.kind) {
    case "ask":
      void answerTo(message.id, message.url);
      return;
    case "taken":
      onTheirWay.get(message.id)?.();
      onTheirWay.delete(message.id);
      return;
    case "ping":
      return tell({ kind: "alive" });
    case "hub-taken":
      return hubWaits.shift()?.();
    case "restored":
      return chain.restore(message.restored);
    case "hub-text":
      hub.hear(message.id, message.text);
      return tell({ kind: "hub-heard", id: message.id, length: message.text.length });
    case "hub-left":
      return hub.leave(message.id);
  }
});
