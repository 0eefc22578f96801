// What the servers' thread and the indexer's thread tell each other.
import type { Restored } from "./chain/timeline.ts";

export interface IndexerSettings {
  /** Base URL of layer 1. */
  readonly endpoint: string;
  /** Blocks that are kept. */
  readonly maxBlocks: number;
  /** Snapshots that were restored before. */
  readonly restored: readonly Restored[];
}

export type ToIndexer =
  | { readonly kind: "ask"; readonly id: number; readonly url: string }
  | { readonly kind: "restored"; readonly restored: Restored }
  | { readonly kind: "hub-text"; readonly id: number; readonly text: string }
  | { readonly kind: "hub-left"; readonly id: number };

export type FromIndexer =
  | { readonly kind: "answer"; readonly id: number; readonly status: number; readonly body: string }
  | { readonly kind: "hub-text"; readonly id: number; readonly text: string }
  | { readonly kind: "hub-end"; readonly id: number }
  /** That many characters of the client's texts have been taken. */
  | { readonly kind: "hub-heard"; readonly id: number; readonly length: number }
  | { readonly kind: "log"; readonly level: "debug" | "info" | "warn" | "error"; readonly message: string };
