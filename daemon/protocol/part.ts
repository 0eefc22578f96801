// The contract between sandboxd and the parts it supervises (layer1_node, runtime_node).
// Part names are also the `config_type` values of `GET /config/:config_type`.

/** Names of the two components, as the configuration, `/health` and `/config/` spell them. */
export const PART_NAMES = ["layer1_node", "runtime_node"] as const;
export type PartName = (typeof PART_NAMES)[number];

export type PartState = "waiting" | "starting" | "healthy" | "failed" | "stopping" | "stopped";

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

/** The little of a logger that parts use (pino has this shape). */
export interface Log {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

/** A log that keeps nothing, for tests and short-lived commands. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
