// What the servers' thread and the indexer's thread tell each other.
import type { Restored } from "./chain/timeline.ts";

export interface IndexerSettings {
  /** Base URL of layer 1. */
  readonly endpoint: string;
  /** Blocks that are kept. */
  readonly maxBlocks: number;
  /** Snapshots that were restored before. */
  readonly restored: readonly Restored[];
  /** Levels of blocks that ended the thread before. */
  readonly skipped: readonly number[];
  /** One number: level of the block that is being read, 0 without one. It can be read after the thread has ended. */
  readonly reading: SharedArrayBuffer;
}

export type ToIndexer =
  | { readonly kind: "ask"; readonly id: number; readonly url: string }
  /** The answer has come. */
  | { readonly kind: "taken"; readonly id: number }
  /** Asks for a sign of life. */
  | { readonly kind: "ping" }
  /** Everything that the hub has sent has come. */
  | { readonly kind: "hub-taken" }
  | { readonly kind: "restored"; readonly restored: Restored }
  | { readonly kind: "hub-text"; readonly id: number; readonly text: string }
  | { readonly kind: "hub-left"; readonly id: number };

export type FromIndexer =
  /** A long body comes as bytes, which are passed on without a copy. */
  | {
      readonly kind: "answer";
      readonly id: number;
      readonly status: number;
      readonly body: string | Uint8Array<ArrayBuffer>;
    }
  | { readonly kind: "alive" }
  /** Asks for `hub-taken`. */
  | { readonly kind: "hub-waits" }
  | { readonly kind: "hub-text"; readonly id: number; readonly text: string }
  | { readonly kind: "hub-end"; readonly id: number }
  /** That many characters of the client's texts have been taken. */
  | { readonly kind: "hub-heard"; readonly id: number; readonly length: number }
  | { readonly kind: "log"; readonly level: "debug" | "info" | "warn" | "error"; readonly message: string };
