// The debugger's bundle, loaded by the first question.
import { lazyBundle } from "../../parts/lazy-bundle.ts";
import { ownError } from "../../protocol/errors.ts";
import type { Debugger, DebuggerOptions } from "./debug-server.ts";
import type * as DebugServer from "./debug-server.ts";

/** @param options `directory` has the bundle `debug-server.cjs` as well */
export function lazyDebugger(options: DebuggerOptions): Debugger {
  const bundle = lazyBundle<typeof DebugServer>(options.directory, "debug-server.cjs");
  let opened: Debugger | undefined;
  return {
    async perform(action, body) {
      try {
        return await (opened ??= bundle().openDebugger(options)).perform(action, body);
      } catch (error) {
        throw ownError(error);
      }
    },
    close: () => opened?.close(),
  };
}
