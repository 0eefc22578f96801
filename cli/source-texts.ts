// Texts of functions (stack traces, logs) with the places of their sources, as far as the sandbox has the source maps.
import { SandboxError } from "../daemon/protocol/errors.ts";
import { findSources, type FoundSources, nameSources } from "../daemon/text/source-places.ts";
import type { Network } from "./config/network.ts";
import type { CliContext } from "./context.ts";
import { fromHere } from "./render/from-here.ts";
import { debugClient } from "./shelve-source.ts";

/** A place of deployed code in a text, and the source that it comes from. */
export interface NamedSource {
  /** As the text has it: `jstz://<address>:<line>:<column>`. */
  readonly place: string;
  /** Absolute path. */
  readonly source: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

export interface SourceTexts {
  /** The text with `src/file.ts:line:column` where it names a place of deployed code. */
  named(text: string): Promise<string>;
  /** For output of programs, whose texts stay as they are: the sources of the places in texts; nothing when none is known. */
  sourcesIn(texts: readonly string[]): Promise<{ readonly sources?: readonly NamedSource[] }>;
}

/** Texts stay as they are on other networks, and where the sandbox does not tell: it is somebody else's, or busy. */
export function sourceTexts(
  context: Pick<CliContext, "env" | "signal">,
  { isSandbox }: Pick<Network, "isSandbox">,
): SourceTexts {
  const find = async (texts: readonly string[]): Promise<FoundSources> => {
    if (!isSandbox) return new Map();
    try {
      return await findSources(texts, debugClient(context).places);
    } catch (error) {
      if (error instanceof SandboxError) return new Map();
      throw error;
    }
  };
  return {
    named: async (text) => nameSources(text, await find([text]), fromHere).text,
    async sourcesIn(texts) {
      const found = [...(await find(texts))];
      return found.length === 0 ? {} : { sources: found.map(([place, source]) => ({ place, ...source })) };
    },
  };
}
