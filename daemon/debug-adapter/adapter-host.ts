// What the adapter needs of where it runs: a command, or an extension of an editor.
import type {
  AllBreakpoints,
  Arrival,
  FirstStop,
  OpenedSession,
  ReleasedBy,
  SessionAnswers,
  SessionCommand,
  ValueHistory,
} from "../protocol/debug-session-api.ts";
import { SandboxError } from "../protocol/errors.ts";

export interface Following {
  readonly onOperation: (hash: string) => void;
  readonly onOpen: () => void;
  readonly signal: AbortSignal;
}

/** Each call is held before it runs, until it was looked at or its time is over. */
export interface Holding {
  /** Within `HOLD_SECONDS`. */
  readonly seconds: number;
  /** @param hold names it in commands */
  readonly onOpen: (hold: string) => void;
  readonly onHeld: (hash: string) => void;
  readonly onReleased: (hash: string, by: ReleasedBy) => void;
  readonly signal: AbortSignal;
}

export interface AdapterHost {
  /** Sends a command of debug sessions to the sandbox. @throws SandboxError */
  readonly ask: (body: object) => Promise<unknown>;
  /** Hash of an operation: the hash itself, or that of `last`. @throws SandboxError */
  readonly operationOf: (operation: string) => Promise<string>;
  /** Tells of calls of smart functions, from `onOpen` on until the signal aborts. */
  readonly follow: (following: Following) => Promise<void>;
  /** Holds calls until the signal aborts or the sandbox ends it. @throws SandboxError HOLD_TAKEN */
  readonly hold: (holding: Holding) => Promise<void>;
  readonly fileExists: (path: string) => boolean;
  /** Alias of an address, or the address. */
  readonly nameOf: (address: string) => string;
}

/** Why following or holding ended without an error: the sandbox has closed the stream. */
export const sandboxEnded = (): SandboxError =>
  new SandboxError("SANDBOX_NOT_RUNNING", { endpoint: "its address any more" });

/** A session of the sandbox, as the adapter uses it. */
export interface RemoteSession {
  readonly opened: OpenedSession;
  ask<Name extends SessionCommand["command"]>(
    command: Extract<SessionCommand, { command: Name }>,
  ): Promise<SessionAnswers[Name]>;
  pause(): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The sandbox that answers is our own: its answers are trusted. @throws SandboxError */
export async function openRemoteSession(
  host: Pick<AdapterHost, "ask">,
  hash: string,
): Promise<RemoteSession> {
  return remoteSession(host, (await host.ask({ command: "open", hash })) as OpenedSession);
}

/**
 * Opens an operation at its first stop. The session is undefined when it has none, and a held operation goes on then.
 * @param hold that keeps the operation back, if one does
 * @throws SandboxError
 */
export async function openAtFirstStop(
  host: Pick<AdapterHost, "ask">,
  { hash, hold, ...breakpoints }: AllBreakpoints & { readonly hash: string; readonly hold?: string },
): Promise<{ readonly session: RemoteSession | undefined; readonly arrival: Arrival }> {
  const held = hold === undefined ? {} : { hold };
  const found = await host.ask({ command: "look", hash, ...held, ...breakpoints });
  const { opened, arrival } = found as FirstStop;
  return { session: arrival.reason === "end" ? undefined : remoteSession(host, opened), arrival };
}

function remoteSession({ ask }: Pick<AdapterHost, "ask">, opened: OpenedSession): RemoteSession {
  const { session } = opened;
  return {
    opened,
    ask: async (command) => (await ask({ session, ...command })) as never,
    pause: async () => void (await ask({ session, command: "pause" })),
    ping: async () => void (await ask({ session, command: "ping" })),
    close: async () => void (await ask({ session, command: "close" })),
  };
}

export const historyOf = async (
  { ask }: Pick<AdapterHost, "ask">,
  value: { readonly address: string; readonly key?: string },
): Promise<ValueHistory> => (await ask({ command: "history", ...value })) as ValueHistory;
