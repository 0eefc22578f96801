// Texts of functions (stack traces, logs) with the places of their sources, as far as the sandbox has the source maps.
import { withSources } from "../daemon/client/source-places.ts";
import { SandboxError } from "../daemon/protocol/errors.ts";
import type { Network } from "./config/network.ts";
import type { CliContext } from "./context.ts";
import { fromHere } from "./render/from-here.ts";
import { debugClient } from "./shelve-source.ts";

/** Shows a text with `src/file.ts:line:column` where it names a place of deployed code. */
export type SourceText = (text: string) => Promise<string>;

/** Texts stay as they are on other networks, and where the sandbox does not tell: it is somebody else's, or busy. */
export function sourceTexts(
  context: Pick<CliContext, "env" | "signal">,
  { isSandbox }: Pick<Network, "isSandbox">,
): SourceText {
  if (!isSandbox) return (text) => Promise.resolve(text);
  const { places } = debugClient(context);
  return async (text) => {
    try {
      return (await withSources(text, places, fromHere)).text;
    } catch (error) {
      if (error instanceof SandboxError) return text;
      throw error;
    }
  };
}
