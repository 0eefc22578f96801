// The parts of a sandbox as named in its interfaces.

/** Names of the two parts in the configuration, `/health` and `/config/`. */
export const PART_NAMES = ["layer1_node", "runtime_node"] as const;
export type PartName = (typeof PART_NAMES)[number];

export type PartState = "waiting" | "starting" | "healthy" | "failed" | "stopping" | "stopped";
