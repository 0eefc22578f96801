// The parts of a sandbox as its interfaces name them.

/** Names of the two components, as the configuration, `/health` and `/config/` spell them. */
export const PART_NAMES = ["layer1_node", "runtime_node"] as const;
export type PartName = (typeof PART_NAMES)[number];

export type PartState = "waiting" | "starting" | "healthy" | "failed" | "stopping" | "stopped";
