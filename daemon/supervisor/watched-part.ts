// A part that runs elsewhere (`skipped: true`): sandboxd neither starts nor stops it, but only watches it.
import type { Part } from "../parts/part.ts";
import type { PartName } from "../protocol/part-name.ts";
import { probe } from "./probe.ts";

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
