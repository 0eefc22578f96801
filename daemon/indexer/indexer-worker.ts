// Entry of the thread in which the indexer lives: whatever somebody asks for, no other server waits for it, and what it
// keeps is bounded by a heap of its own.
import { parentPort, workerData } from "node:worker_threads";
import type { Log } from "../parts/log.ts";
import { answer } from "./answers/answer.ts";
import { followChain } from "./chain/follow-chain.ts";
import { Hub } from "./hub/hub.ts";
import type { FromIndexer, IndexerSettings, ToIndexer } from "./indexer-messages.ts";

const port = parentPort!;
const { endpoint, maxBlocks, restored } = workerData as IndexerSettings;
const tell = (message: FromIndexer): void => port.postMessage(message);

const line =
  (level: "debug" | "info" | "warn" | "error") =>
  (data: object, message: string): void =>
    tell({ kind: "log", level, message: `${message} ${JSON.stringify(data)}` });
const log: Log = { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };

const chain = followChain({
  endpoint,
  maxBlocks,
  restored,
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
});

port.on("message", (message: ToIndexer) => {
  switch (message.kind) {
    case "ask":
      void answer(chain, message.url).then((text) => tell({ kind: "answer", id: message.id, ...text }));
      return;
    case "restored":
      return chain.restore(message.restored);
    case "hub-text":
      hub.hear(message.id, message.text);
      return tell({ kind: "hub-heard", id: message.id, length: message.text.length });
    case "hub-left":
      return hub.leave(message.id);
  }
});
