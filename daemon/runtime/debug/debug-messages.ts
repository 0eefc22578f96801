// Messages between the debugger's thread and the part of the server that feeds it. Plain data.
import type { LedgerDifference, LedgerWrite } from "../ledger/ledger.ts";
import type { RecordedRun } from "../store/journal.ts";
import type { ReplaySettings } from "./replay.ts";

/** What is to be made of replays. */
export type DebugTask = "profile" | "lines" | "coverage";

/** An operation to be replayed, with how it ended the first time. */
export interface WantedRun {
  readonly run: RecordedRun;
  readonly receipt: string | undefined;
  readonly trace: string | undefined;
}

/** A step back in time, and what is to be replayed there. */
export interface StepBack {
  readonly undo: LedgerDifference;
  readonly wanted: WantedRun | undefined;
}

/** The source of a deployed function. */
export interface ShelvedSource {
  /** Source map (JSON), compressed by gzip; undefined for a source that was deployed as it is. */
  readonly map: Uint8Array | undefined;
  /** Absolute paths; they stand for the sources of the map. */
  readonly sources: readonly string[];
}

export type ToDebugger =
  /** Part of the present ledger. */
  | { readonly kind: "seed"; readonly writes: readonly LedgerWrite[] }
  /** The ledger changed in another way than by operations: it is sent again. */
  | { readonly kind: "again" }
  /** Changes from the newest back. */
  | { readonly kind: "back"; readonly steps: readonly StepBack[] }
  | { readonly kind: "end" };

export type FromDebugger =
  | { readonly kind: "answer"; readonly json: string }
  /** `body` is that of an error of ours. */
  | { readonly kind: "failed"; readonly body: string };

export interface DebugThreadInput extends ReplaySettings {
  /** Folder of the engine's files. */
  readonly directory: string;
  readonly task: DebugTask;
  readonly sources: ReadonlyMap<string, ShelvedSource>;
}
