// What a window knows of its sandbox, and announces when it changes.
import type { ErrorCode } from "../../daemon/protocol/errors.ts";

export interface RunningSandbox {
  readonly sandboxd: string;
  readonly layer1: string;
  readonly runtime: string;
  readonly pid: number;
  readonly version: string;
}

export type SessionState =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting"; readonly step?: string }
  | { readonly kind: "running"; readonly sandbox: RunningSandbox }
  | { readonly kind: "stopping" }
  | {
      readonly kind: "failed";
      /** Stable code of the error, if it has one. */
      readonly code?: ErrorCode;
      readonly message: string;
      readonly lastLines: readonly string[];
    };

/** The kind of change; each view refreshes only for its own. */
export type SessionChange = "state" | "parts" | "head" | "accounts" | "operations" | "snapshots" | "stores";

export interface StartOptions {
  /** Called for each step of a start with steps (building an image). */
  readonly onProgress?: (text: string) => void;
  /** Cancels the start; the state is then "stopped". */
  readonly signal?: AbortSignal;
}
