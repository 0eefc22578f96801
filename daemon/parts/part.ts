// The contract between sandboxd and the parts it supervises (layer1_node, runtime_node).
import type { PartName } from "../protocol/part-name.ts";

/** What a part says of itself when asked. `detail` is one sentence for a person. */
export interface PartHealth {
  readonly healthy: boolean;
  readonly detail: string;
}

/**
 * Something sandboxd starts, watches and stops.
 * `start` resolves when the part serves its HTTP interface; `stop` is idempotent.
 */
export interface Part {
  readonly name: PartName;
  /** Parts that must be healthy before this one starts. */
  readonly needs: readonly PartName[];
  start(signal: AbortSignal): Promise<void>;
  /** Base URL of the part's HTTP interface, `http://host:port`, known once started. */
  endpoint(): string;
  health(): PartHealth | Promise<PartHealth>;
  /** @param deadlineMs how long open connections may take before they are cut. */
  stop(deadlineMs: number): Promise<void>;
}
