// A part that runs elsewhere (`skipped: true`): sandboxd neither starts nor stops it, it only watches.
import { probe } from "./probe.ts";
import type { Part, PartName } from "../protocol/part.ts";

export interface WatchedPartOptions {
  readonly name: PartName;
  readonly needs: readonly PartName[];
  /** Base URL, `http://host:port`. */
  readonly endpoint: string;
}

export function createWatchedPart({ name, needs, endpoint }: WatchedPartOptions): Part {
  return {
    name,
    needs,
    start: () => Promise.resolve(),
    endpoint: () => endpoint,
    health: () => probe(name, endpoint),
    stop: () => Promise.resolve(),
  };
}
