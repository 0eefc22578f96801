// Entry of the thread of debug sessions, one after another: takes the ledger as it was before the operation, records the
// operation, and answers commands until the session is closed or the thread is ended.
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { reasonOf, SandboxError } from "../../../protocol/errors.ts";
import { loadEngine } from "../../engine/engine.ts";
import type { Watcher } from "../../engine/watcher.ts";
import type { DebugThreadInput, ToDebugger, WantedRun } from "../debug-messages.ts";
import { Originals } from "../originals.ts";
import { DebugSession, type PendingCommand } from "./debug-session.ts";
import { RewindableLedger } from "./rewindable-ledger.ts";
import {
  type FromSession,
  PAUSE,
  SENT,
  type SessionThreadInput,
  type ToSession,
} from "./session-messages.ts";

const { directory, settings, realTime, cells } = workerData as SessionThreadInput;
const port = parentPort!;
const say = (message: FromSession): void => port.postMessage(message);

function bodyOf(error: unknown): string {
  const shown =
    error instanceof SandboxError ? error : new SandboxError("INTERNAL", { reason: reasonOf(error) });
  return JSON.stringify(shown.toBody());
}

/** The next message. Blocks until there is one. */
function nextMessage(): ToSession {
  for (;;) {
    const sent = Atomics.load(cells, SENT);
    const received = receiveMessageOnPort(port);
    if (received !== undefined) return received.message as ToSession;
    Atomics.wait(cells, SENT, sent);
  }
}

interface Start {
  sources: DebugThreadInput["sources"];
  ledger: RewindableLedger;
  wanted: WantedRun | undefined;
}

function take(message: Exclude<ToDebugger, { kind: "end" }>, start: Start): void {
  switch (message.kind) {
    case "seed":
      for (const write of message.writes) start.ledger.apply(write);
      return;
    case "again":
      start.ledger = new RewindableLedger();
      return;
    case "back":
      for (const { undo, wanted } of message.steps) {
        start.ledger.amend(undo);
        start.wanted = wanted ?? start.wanted;
      }
  }
}

function receiveStart(): Start {
  const start: Start = { sources: new Map(), ledger: new RewindableLedger(), wanted: undefined };
  for (let message = nextMessage(); message.kind !== "end"; message = nextMessage())
    if (message.kind === "begin") start.sources = message.sources;
    else if (message.kind !== "command" && message.kind !== "close") take(message, start);
  start.ledger.fix();
  return start;
}

/** The next command; undefined once the session is closed. */
function receive(): PendingCommand | undefined {
  for (;;) {
    const message = nextMessage();
    if (message.kind === "close") return undefined;
    if (message.kind !== "command") continue;
    const { id, command } = message;
    if (command.command === "go") Atomics.store(cells, PAUSE, 0);
    return {
      command,
      answer: (value) => say({ kind: "answer", id, json: JSON.stringify(value) }),
      fail: (error) => say({ kind: "failed", id, body: bodyOf(error) }),
    };
  }
}

async function serve(): Promise<never> {
  let watcher: Watcher | undefined;
  const loaded = await loadEngine({
    directory,
    watcher: {
      bytecode: (vm, pc) => watcher?.bytecode(vm, pc),
      thrown: (vm, value) => watcher?.thrown(vm, value),
      evaluating: (vm, gas) => watcher?.evaluating(vm, gas),
      evaluated: (vm, gas) => watcher?.evaluated(vm, gas),
    },
  });
  const engine = settings.strict ? loaded.strict() : loaded;
  const isPauseWanted = (): boolean => Atomics.load(cells, PAUSE) === 1;
  for (;;) {
    const { sources, ledger, wanted } = receiveStart();
    if (wanted === undefined) throw new Error("no operation was sent");
    const originals = new Originals(sources, (address) => ledger.code(address));
    const session = new DebugSession(
      { ledger, wanted, engine, originals, settings, realTime, receive, isPauseWanted },
      (each) => (watcher = each),
    );
    say({ kind: "opened", summary: session.summary() });
    session.serve();
  }
}

// The port does not keep the thread alive: nobody listens on it, since messages are taken one by one.
const alive = setInterval(() => undefined, 2 ** 30);
serve().catch((error: unknown) => {
  clearInterval(alive);
  say({ kind: "failed", id: undefined, body: bodyOf(error) });
});
