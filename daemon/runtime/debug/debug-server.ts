// The debugger of the runtime: replays recorded operations in a thread of their own, and keeps the source maps of
// deployed functions. A bundle of its own (`debug-server.cjs`), loaded by the first question: a sandbox that nobody
// debugs pays nothing for it.
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { timeOfDay } from "../../local/time-of-day.ts";
import { requestField } from "../../parts/request-field.ts";
import type { Arrival, FirstStop } from "../../protocol/debug-session-api.ts";
import { errorInBody, reasonOf, SandboxError } from "../../protocol/errors.ts";
import { afterRunning, type RunningTimer } from "../../protocol/running-timer.ts";
import { isSmartFunctionAddress } from "../../protocol/runtime-address.ts";
import { isObject, MalformedJson, textField } from "../../tezos/json-fields.ts";
import { WORKER_STACK_MB } from "../engine/limits.ts";
import type { CommittedStore } from "../store/committed-store.ts";
import type { JournalEntry } from "../store/journal.ts";
import { coverableAfter, type ThreadCoverage } from "./coverable-operations.ts";
import type { DebugTask, DebugThreadInput, FromDebugger, ShelvedSource } from "./debug-messages.ts";
import { HeldOperations, type Hold, type PutGate } from "./held-operations.ts";
import { obstacleOf } from "./obstacle.ts";
import { codePlacesOf, PlaceFinder } from "./place-finder.ts";
import type { ReplaySettings } from "./replay.ts";
import { breakpointCommands, goToFirstStop } from "./session/first-stop.ts";
import { commandOf } from "./session/read-command.ts";
import {
  openSessionThread,
  type SessionThread,
  type SessionThreadOptions,
} from "./session/session-thread.ts";
import { SessionWorkers } from "./session/session-workers.ts";
import { historyOf } from "./session/value-history.ts";
import { SourceShelf } from "./source-shelf.ts";
import { sendStateBefore, sendStateOf } from "./state-before.ts";

/** The heap of the thread holds a copy of the ledger; recordings are outside of it. */
const HEAP_MB = 1_024;
/** Longest replay, with everything around it. */
const PATIENCE_MS = 60_000;
/** Tasks that wait for the one under way. */
const MAX_WAITING = 8;
/** Debug sessions at a time: each has a thread with a copy of the ledger. */
const MAX_SESSIONS = 4;
/** A source map as it comes, compressed. */
const MAX_MAP_BYTES = 8 * 1024 * 1024;
const MAX_SOURCES = 10_000;

export interface DebuggerOptions extends ReplaySettings {
  /** Folder of the engine's files and of the threads' bundles. */
  readonly directory: string;
  readonly store: CommittedStore;
  readonly putGate: PutGate;
  /** Longest task in ms. */
  readonly patienceMs?: number;
  /** Ms after which a session that nobody asks ends. */
  readonly leaseMs?: number;
}

export interface Debugger {
  /**
   * @returns JSON text
   * @throws SandboxError REPLAY_IMPOSSIBLE, REPLAY_DIFFERS, REPLAY_LIMIT, SANDBOX_BUSY, BAD_REQUEST, NOT_FOUND, and those
   * of debug sessions
   */
  perform(action: string, body: unknown): Promise<string>;
  /**
   * Lets a debug session hold operations.
   * @throws SandboxError HOLD_TAKEN, BAD_REQUEST
   */
  hold(body: unknown): Hold;
  /** Ends the threads. */
  close(): void;
}

export function openDebugger(options: DebuggerOptions): Debugger {
  const { store, directory, settings, realTime, patienceMs = PATIENCE_MS } = options;
  const shelf = new SourceShelf();
  const workers = new SessionWorkers({ directory, settings, realTime });
  const holds = new HeldOperations(options.putGate);
  const places = new PlaceFinder(shelf, directory);
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  let current: Worker | undefined;
  let isClosed = false;
  const sessions = new Map<string, SessionThread>();
  /** What ends the threads of sessions, open ones included. */
  const stops = new Set<() => void>();

  /** One task at a time: each may use a core and hundreds of megabytes. */
  function inTurn(task: () => Promise<string>): Promise<string> {
    if (waiting >= MAX_WAITING)
      throw new SandboxError("SANDBOX_BUSY", { reason: `${waiting} replays are already waiting` });
    waiting++;
    const result = last.then(task).finally(() => waiting--);
    last = result.catch(() => undefined);
    return result;
  }

  function entryOf(hash: string): JournalEntry {
    const entry = store.journal.find(hash);
    if (entry?.run !== undefined) {
      const reason = obstacleOf(entry.run);
      if (reason === undefined) return entry;
      throw new SandboxError("REPLAY_IMPOSSIBLE", { hash, reason });
    }
    const gap = store.journal.gapOf(hash, store.receipts.get(hash) !== undefined);
    throw new SandboxError("REPLAY_IMPOSSIBLE", { hash, reason: GAPS[gap] });
  }

  const replay = (task: DebugTask, hash: string): Promise<string> =>
    perform(task, entryOf(hash), new Set([hash]));

  /** Coverage of the next operations after a position. */
  async function cover(after: number): Promise<string> {
    const { entries, skipped, upTo, isComplete } = coverableAfter(store.journal, after);
    const oldest = entries[0] ?? store.journal.newest;
    const head = { upTo, isComplete };
    if (oldest === undefined) return JSON.stringify({ operations: 0, skipped, ...head, sources: [] });
    const wanted = new Set(entries.map(({ run }) => run!.job.hash));
    const found = JSON.parse(await perform("coverage", oldest, wanted)) as ThreadCoverage;
    return JSON.stringify({ ...found, skipped: found.skipped + skipped, ...head });
  }

  /** @param oldest the earliest of the wanted ones @returns JSON text of the thread's answer */
  async function perform(
    task: DebugTask,
    oldest: JournalEntry,
    wanted: ReadonlySet<string>,
  ): Promise<string> {
    if (isClosed) throw new SandboxError("SHUTTING_DOWN", {});
    const workerData: DebugThreadInput = {
      directory,
      task,
      sources: shelf.all,
      settings,
      realTime,
    };
    const worker = new Worker(join(directory, "debug-worker.cjs"), {
      workerData,
      resourceLimits: { stackSizeMb: WORKER_STACK_MB, maxOldGenerationSizeMb: HEAP_MB },
    });
    worker.unref();
    current = worker;
    let timer: RunningTimer | undefined;
    try {
      const answer = new Promise<FromDebugger>((resolve, reject) => {
        const giveUp = (reason: string): void => reject(new SandboxError("REPLAY_LIMIT", { reason }));
        timer = afterRunning(patienceMs, () => giveUp(`it took longer than ${patienceMs / 1000} s`));
        worker.once("message", resolve);
        worker.once("error", (error) => giveUp(reasonOf(error)));
        worker.once("exit", () => giveUp("its thread ended"));
      });
      answer.catch(() => undefined); // also when sending fails first
      await sendStateBefore(store, oldest, wanted, (message) => worker.postMessage(message));
      worker.postMessage({ kind: "end" });
      const found = await answer;
      if (found.kind === "answer") return found.json;
      throw errorInBody(found.body) ?? new SandboxError("INTERNAL", {});
    } finally {
      timer?.cancel();
      current = undefined;
      void worker.terminate();
    }
  }

  /** Of a held operation the run to come, else that of the journal. @throws SandboxError REPLAY_IMPOSSIBLE */
  function feedOf(hash: string, hold: string | undefined): SessionThreadOptions["feed"] {
    const job = hold === undefined ? undefined : holds.find(hold, hash);
    if (hold === undefined || job === undefined) {
      const entry = entryOf(hash);
      return (send) => sendStateBefore(store, entry, new Set([hash]), send);
    }
    const run = { job, circumstances: undefined, isLost: false, now: timeOfDay() };
    return (send) => sendStateOf(store, run, () => holds.find(hold, hash) === job, send);
  }

  async function openSession(hash: string, hold: string | undefined): Promise<SessionThread> {
    const feed = feedOf(hash, hold);
    if (isClosed) throw new SandboxError("SHUTTING_DOWN", {});
    if (stops.size >= MAX_SESSIONS)
      throw new SandboxError("SANDBOX_BUSY", { reason: `${stops.size} debug sessions are open` });
    let stop: (() => void) | undefined;
    const sources = shelf.all;
    const session = await openSessionThread({
      workers,
      sources,
      feed,
      leaseMs: options.leaseMs,
      onStarted: (end) => stops.add((stop = end)),
      onClosed: (id) => {
        sessions.delete(id);
        if (stop !== undefined) stops.delete(stop);
        if (hold !== undefined) holds.done(hold, hash);
      },
    });
    sessions.set(session.opened.session, session);
    return session;
  }

  /** Opens a session at its first stop. One without a stop is closed again, so that a held operation goes on at once. */
  async function look(body: unknown, hash: string, hold: string | undefined): Promise<FirstStop> {
    const breakpoints = asRequest(() => breakpointCommands(body));
    const session = await openSession(hash, hold);
    const { opened } = session;
    let arrival: Arrival | undefined;
    try {
      arrival = await goToFirstStop(session, breakpoints);
      return { opened, arrival };
    } finally {
      if (arrival === undefined || arrival.reason === "end") session.close();
    }
  }

  async function command(body: unknown): Promise<string> {
    const name = textIn(body, "command");
    const hold = isObject(body) && body["hold"] !== undefined ? textIn(body, "hold") : undefined;
    if (name === "open" || name === "look") {
      const hash = requestField(body, "hash", hashField);
      return JSON.stringify(
        name === "look" ? await look(body, hash, hold) : (await openSession(hash, hold)).opened,
      );
    }
    if (name === "release" || name === "done") {
      holds[name](hold ?? textIn(body, "hold"), requestField(body, "hash", hashField));
      return "{}";
    }
    if (name === "history") return JSON.stringify(history(body));
    const session = sessions.get(textIn(body, "session"));
    if (session === undefined) throw new SandboxError("DEBUG_SESSION_GONE", {});
    switch (name) {
      case "ping":
        session.renew();
        return "{}";
      case "pause":
        session.pause();
        return "{}";
      case "close":
        session.close();
        return "{}";
      default:
        return session.ask(asRequest(() => commandOf(body)));
    }
  }

  function history(body: unknown): unknown {
    const address = textIn(body, "address");
    const hasKey = isObject(body) && body["key"] !== undefined;
    const key = hasKey ? textIn(body, "key") : undefined;
    const { journal, ledger } = store;
    return historyOf(journal.entries(), ledger, { address, key }, journal.isWhole);
  }

  return {
    async perform(action, body) {
      switch (action) {
        case "session":
          return command(body);
        case "profile":
        case "lines": {
          const hash = requestField(body, "hash", hashField);
          return inTurn(() => replay(action, hash));
        }
        case "coverage": {
          const after = isObject(body) ? (body["after"] ?? 0) : 0;
          return inTurn(() => cover(Number(after)));
        }
        case "source-map":
          shelf.put(requestField(body, "address", addressField), sourceOf(body));
          return "{}";
        case "places":
          return JSON.stringify({ places: await places.find(codePlacesOf(body)) });
        default:
          throw new SandboxError("NOT_FOUND", { what: action });
      }
    },
    hold(body) {
      if (isClosed) throw new SandboxError("SHUTTING_DOWN", {});
      const hold = holds.take(body);
      return {
        start(send) {
          workers.keep(); // loads while nothing runs: the first call does not wait for it
          hold.start(send);
        },
        end() {
          hold.end();
          workers.release();
        },
      };
    },
    close() {
      isClosed = true;
      holds.end();
      void current?.terminate();
      places.close();
      for (const stop of stops) stop();
      workers.release(); // last: a session that ends gives its thread back
    },
  };
}

const GAPS = {
  undone: "a snapshot was restored that undid it, or the way back to it",
  dropped:
    "its record was dropped, since the sandbox keeps those of the latest operations only (`runtime_node.history`)",
  unknown: "this sandbox has not executed it since it started",
} as const;

/** @throws SandboxError BAD_REQUEST */
function asRequest<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    const { at, found, expected } = error;
    throw new SandboxError("BAD_REQUEST", { at, found, expected });
  }
}

const textIn = (body: unknown, name: string): string =>
  requestField(body, name, (value, at) => textField(value, at));

function hashField(value: unknown, at: string): string {
  const hash = textField(value, at).toLowerCase();
  if (/^[0-9a-f]{64}$/.test(hash)) return hash;
  throw new MalformedJson(at, "an operation hash of 64 hex digits", value);
}

function addressField(value: unknown, at: string): string {
  const address = textField(value, at);
  if (isSmartFunctionAddress(address)) return address;
  throw new MalformedJson(at, "the address of a smart function", value);
}

/** Bytes that every thread sees without a copy of its own. */
function shareBytes(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** @throws SandboxError BAD_REQUEST */
function sourceOf(body: unknown): ShelvedSource {
  const sources = requestField(body, "sources", (value, at) => {
    if (
      !Array.isArray(value) ||
      value.length > MAX_SOURCES ||
      !value.every((each) => typeof each === "string")
    )
      throw new MalformedJson(at, `a list of at most ${MAX_SOURCES} paths`, value);
    return value;
  });
  const isMapped = isObject(body) && body["map"] !== undefined;
  if (!isMapped) return { map: undefined, sources };
  const map = requestField(body, "map", (value, at) => {
    const bytes = Buffer.from(textField(value, at), "base64");
    if (bytes.length <= MAX_MAP_BYTES && bytes[0] === 0x1f && bytes[1] === 0x8b) return shareBytes(bytes);
    throw new MalformedJson(at, "a source map, compressed by gzip, in base64", value);
  });
  return { map, sources };
}
