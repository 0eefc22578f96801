// Messages between the servers' thread and the indexer's thread.
import type { Restored } from "./chain/timeline.ts";

export interface IndexerSettings {
  /** Base URL of layer 1. */
  readonly endpoint: string;
  /** Blocks to keep. */
  readonly maxBlocks: number;
  /** Snapshots restored before. */
  readonly restored: readonly Restored[];
  /** Levels of blocks that crashed the thread before. */
  readonly skipped: readonly number[];
  /** One number: level of the block being read, or 0. Readable after the thread has died. */
  readonly reading: SharedArrayBuffer;
}

export type ToIndexer =
  | { readonly kind: "ask"; readonly id: number; readonly url: string }
  /** The answer was delivered. */
  | { readonly kind: "delivered"; readonly id: number }
  /** Requests a sign of life. */
  | { readonly kind: "ping" }
  /** Everything that the hub sent was received. */
  | { readonly kind: "hub-flushed" }
  | { readonly kind: "restored"; readonly restored: Restored }
  | { readonly kind: "hub-text"; readonly id: number; readonly text: string }
  | { readonly kind: "hub-left"; readonly id: number };

export type FromIndexer =
  /** Long bodies are bytes, which are transferred without a copy. */
  | {
      readonly kind: "answer";
      readonly id: number;
      readonly status: number;
      readonly body: string | Uint8Array<ArrayBuffer>;
    }
  | { readonly kind: "alive" }
  /** Requests `hub-flushed`. */
  | { readonly kind: "hub-flush" }
  | { readonly kind: "hub-text"; readonly id: number; readonly text: string }
  | { readonly kind: "hub-end"; readonly id: number }
  /** The thread has processed this many characters from the client. */
  | { readonly kind: "hub-heard"; readonly id: number; readonly length: number }
  | { readonly kind: "log"; readonly level: "debug" | "info" | "warn" | "error"; readonly message: string };
