// The debugger's bundle, loaded by the first question.
import { lazyBundle } from "../../parts/lazy-bundle.ts";
import { ownError } from "../../protocol/errors.ts";
import type { Debugger, DebuggerOptions } from "./debug-server.ts";
import type * as DebugServer from "./debug-server.ts";
import type { Hold } from "./held-operations.ts";

export interface LazyDebugger extends Omit<Debugger, "hold"> {
  hold(body: unknown): Promise<Hold>;
}

/** @param options `directory` has the bundle `debug-server.cjs` as well */
export function lazyDebugger(options: DebuggerOptions): LazyDebugger {
  const bundle = lazyBundle<typeof DebugServer>(options.directory, "debug-server.cjs");
  let opened: Debugger | undefined;
  async function ask<Answer>(task: (asked: Debugger) => Answer | Promise<Answer>): Promise<Answer> {
    try {
      return await task((opened ??= bundle().openDebugger(options)));
    } catch (error) {
      throw ownError(error);
    }
  }
  return {
    perform: (action, body) => ask((asked) => asked.perform(action, body)),
    hold: (body) => ask((asked) => asked.hold(body)),
    close: () => opened?.close(),
  };
}
