// Messages between a session's thread and its side in the server. Plain data; the thread is blocked in a guest most of
// the time, so it is woken by a cell that both share.
import type { OpenedSession, SessionCommand } from "../../../protocol/debug-session-api.ts";
import type { DebugThreadInput, ToDebugger } from "../debug-messages.ts";

export type ToSession =
  /** A session begins. */
  | { readonly kind: "begin"; readonly sources: DebugThreadInput["sources"] }
  | ToDebugger
  | { readonly kind: "command"; readonly id: number; readonly command: SessionCommand }
  /** The session is over; the thread waits for the next one. */
  | { readonly kind: "close" };

export type FromSession =
  /** The operation is recorded. */
  | { readonly kind: "opened"; readonly summary: Omit<OpenedSession, "session"> }
  | { readonly kind: "answer"; readonly id: number; readonly json: string }
  /** `body` is that of an error of ours; without an id the session cannot be opened. */
  | { readonly kind: "failed"; readonly id: number | undefined; readonly body: string };

export interface SessionThreadInput extends Omit<DebugThreadInput, "task" | "sources"> {
  readonly cells: Int32Array;
}

/** Cells: messages sent so far, and whether the motion under way is to stop. */
export const SENT = 0;
export const PAUSE = 1;
export const newSessionCells = (): Int32Array => new Int32Array(new SharedArrayBuffer(8));
