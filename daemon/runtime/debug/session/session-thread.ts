// The server's side of a debug session: its thread, the commands in flight, and its lease.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import {
  type OpenedSession,
  SESSION_LEASE_MS,
  type SessionCommand,
} from "../../../protocol/debug-session-api.ts";
import { errorInBody, reasonOf, SandboxError } from "../../../protocol/errors.ts";
import { WORKER_STACK_MB } from "../../engine/limits.ts";
import type { ToDebugger } from "../debug-messages.ts";
import {
  type FromSession,
  newSessionCells,
  PAUSE,
  SENT,
  type SessionThreadData,
  type ToSession,
} from "./session-messages.ts";

/** The heap of the thread holds a copy of the ledger, and what the recording tells besides its arrays. */
const HEAP_MB = 1_024;
/** Longest recording, with everything around it. */
const OPEN_MS = 60_000;
/** Commands in flight. */
const MAX_COMMANDS = 100;

export interface SessionThread {
  readonly opened: OpenedSession;
  /** @returns JSON text @throws SandboxError */
  ask(command: SessionCommand): Promise<string>;
  /** Stops the motion under way. */
  pause(): void;
  /** Somebody still needs the session. */
  renew(): void;
  close(): void;
}

export interface SessionThreadOptions extends Omit<SessionThreadData, "cells"> {
  /** Sends the operation, and the state in which it is to run. @throws SandboxError */
  readonly feed: (send: (message: ToDebugger) => void) => Promise<void>;
  /** Called when the thread is gone. */
  readonly onClosed: (session: string) => void;
  /** Called with what ends the thread while it opens. */
  readonly onStarted: (stop: () => void) => void;
  readonly leaseMs?: number | undefined;
}

interface Waiting {
  resolve(json: string): void;
  reject(error: Error): void;
}

/** @throws SandboxError REPLAY_IMPOSSIBLE, REPLAY_DIFFERS, REPLAY_LIMIT */
export async function openSessionThread(options: SessionThreadOptions): Promise<SessionThread> {
  const { feed, onClosed, onStarted, leaseMs = SESSION_LEASE_MS, ...data } = options;
  const session = randomBytes(12).toString("hex");
  const cells = newSessionCells();
  const worker = new Worker(join(data.directory, "debug-session.cjs"), {
    workerData: { ...data, cells } satisfies SessionThreadData,
    resourceLimits: { stackSizeMb: WORKER_STACK_MB, maxOldGenerationSizeMb: HEAP_MB },
  });
  worker.unref();
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let isClosed = false;
  let lease: NodeJS.Timeout | undefined;

  function send(message: ToSession): void {
    worker.postMessage(message);
    Atomics.add(cells, SENT, 1);
    Atomics.notify(cells, SENT);
  }

  function close(error: Error = new SandboxError("DEBUG_SESSION_GONE", {})): void {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(lease);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    void worker.terminate();
    onClosed(session);
  }

  function renew(): void {
    clearTimeout(lease);
    if (!isClosed) lease = setTimeout(() => close(), leaseMs).unref();
  }

  function take(message: FromSession): void {
    if (message.kind === "opened" || message.id === undefined) return;
    const one = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === "answer") one?.resolve(message.json);
    else one?.reject(errorInBody(message.body) ?? new SandboxError("INTERNAL", {}));
  }

  onStarted(() => close(new SandboxError("SHUTTING_DOWN", {})));
  let timer: NodeJS.Timeout | undefined;
  try {
    const opening = new Promise<Omit<OpenedSession, "session">>((resolve, reject) => {
      const giveUp = (reason: string): void => {
        reject(new SandboxError("REPLAY_LIMIT", { reason }));
        close();
      };
      timer = setTimeout(() => giveUp(`it took longer than ${OPEN_MS / 1000} s`), OPEN_MS);
      worker.once("error", (error) => giveUp(reasonOf(error)));
      worker.once("exit", () => giveUp("its thread ended"));
      worker.once("message", (message: FromSession) => {
        if (message.kind === "opened") resolve(message.summary);
        else
          reject(
            errorInBody(message.kind === "failed" ? message.body : "") ?? new SandboxError("INTERNAL", {}),
          );
      });
    });
    opening.catch(() => undefined); // also when sending fails first
    await feed(send);
    send({ kind: "end" });
    const summary = await opening;
    worker.on("message", take);
    renew();
    return {
      opened: { session, ...summary },
      ask(command) {
        if (isClosed) return Promise.reject(new SandboxError("DEBUG_SESSION_GONE", {}));
        if (waiting.size >= MAX_COMMANDS)
          return Promise.reject(
            new SandboxError("SANDBOX_BUSY", {
              reason: `${waiting.size} commands of the debugger are waiting`,
            }),
          );
        renew();
        const id = ++lastId;
        const answer = new Promise<string>((resolve, reject) => waiting.set(id, { resolve, reject }));
        send({ kind: "command", id, command });
        return answer.finally(renew);
      },
      pause() {
        Atomics.store(cells, PAUSE, 1);
        renew();
      },
      renew,
      close: () => close(),
    };
  } catch (error) {
    close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
