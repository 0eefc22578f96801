// Whether a sandbox has an indexer, and how much it keeps.
import type { SandboxConfig } from "./config/schema.ts";
import { Indexer, type IndexerOptions } from "./indexer/indexer.ts";

export function indexerOf(
  { indexer }: SandboxConfig,
  options: Pick<IndexerOptions, "directory" | "layer1Endpoint" | "log">,
): Indexer | undefined {
  return indexer.follow === "off" ? undefined : new Indexer({ ...options, maxBlocks: indexer.blocks });
}
