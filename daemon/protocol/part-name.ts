// The parts of a sandbox as named in its interfaces, and their states.

/** Names of the two parts in the configuration, `/health` and `/config/`. */
export const PART_NAMES = ["layer1_node", "runtime_node"] as const;
export type PartName = (typeof PART_NAMES)[number];

/** States of a part, as `GET /health` and its events have them. */
export const PART_STATES = ["waiting", "starting", "healthy", "failed", "stopping", "stopped"] as const;
export type PartState = (typeof PART_STATES)[number];

/** States of the whole sandbox. */
export const SANDBOX_STATUSES = ["starting", "healthy", "degraded", "stopping"] as const;
