// The server's side of a debug session: its thread, the commands in flight, and its lease.
import { randomBytes } from "node:crypto";
import {
  type OpenedSession,
  SESSION_LEASE_MS,
  type SessionCommand,
} from "../../../protocol/debug-session-api.ts";
import { errorInBody, reasonOf, SandboxError } from "../../../protocol/errors.ts";
import { afterRunning, type RunningTimer } from "../../../protocol/running-timer.ts";
import type { ToDebugger } from "../debug-messages.ts";
import { type FromSession, PAUSE, type ToSession } from "./session-messages.ts";
import type { SessionWorkers } from "./session-workers.ts";

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

export interface SessionThreadOptions {
  readonly workers: SessionWorkers;
  readonly sources: Extract<ToSession, { kind: "begin" }>["sources"];
  /** Sends the operation, and the state in which it is to run. @throws SandboxError */
  readonly feed: (send: (message: ToDebugger) => void) => Promise<void>;
  /** Called when the session is over. */
  readonly onClosed: (session: string) => void;
  /** Called with what ends the session while it opens. */
  readonly onStarted: (stop: () => void) => void;
  readonly leaseMs?: number | undefined;
}

interface Waiting {
  resolve(json: string): void;
  reject(error: Error): void;
}

/** @throws SandboxError REPLAY_IMPOSSIBLE, REPLAY_DIFFERS, REPLAY_LIMIT */
export async function openSessionThread(options: SessionThreadOptions): Promise<SessionThread> {
  const { workers, sources, feed, onClosed, onStarted, leaseMs = SESSION_LEASE_MS } = options;
  const session = randomBytes(12).toString("hex");
  const used = workers.take();
  const { worker, cells, send } = used;
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let isOpen = false;
  let isClosed = false;
  let failOpening: (error: Error) => void = () => undefined;
  let lease: RunningTimer | undefined;

  function close(error: Error = new SandboxError("DEBUG_SESSION_GONE", {})): void {
    if (isClosed) return;
    isClosed = true;
    lease?.cancel();
    workers.giveBack(used, isOpen && waiting.size === 0);
    failOpening(error);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    onClosed(session);
  }

  function renew(): void {
    lease?.cancel();
    if (!isClosed) lease = afterRunning(leaseMs, () => close()).unref();
  }

  function take(message: FromSession): void {
    if (message.kind === "opened" || message.id === undefined) return;
    const one = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === "answer") one?.resolve(message.json);
    else one?.reject(errorInBody(message.body) ?? new SandboxError("INTERNAL", {}));
  }

  onStarted(() => close(new SandboxError("SHUTTING_DOWN", {})));
  let timer: RunningTimer | undefined;
  try {
    const opening = new Promise<Omit<OpenedSession, "session">>((resolve, reject) => {
      failOpening = reject;
      const giveUp = (reason: string): void => {
        reject(new SandboxError("REPLAY_LIMIT", { reason }));
        close();
      };
      timer = afterRunning(OPEN_MS, () => giveUp(`it took longer than ${OPEN_MS / 1000} s`));
      const end = (reason: string): void => {
        isOpen = false;
        giveUp(reason);
      };
      worker.once("error", (error) => end(reasonOf(error)));
      worker.once("exit", () => end("its thread ended"));
      worker.once("message", (message: FromSession) => {
        if (message.kind === "opened") resolve(message.summary);
        else
          reject(
            errorInBody(message.kind === "failed" ? message.body : "") ?? new SandboxError("INTERNAL", {}),
          );
      });
    });
    opening.catch(() => undefined); // also when sending fails first
    send({ kind: "begin", sources });
    await feed(send);
    send({ kind: "end" });
    const summary = await opening;
    isOpen = true;
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
    timer?.cancel();
  }
}
