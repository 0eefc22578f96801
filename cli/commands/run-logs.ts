// `functez run --trace`: shows the logs of the called functions, from the trace of the operation.
import { logsOf as logsOfTrace } from "../../daemon/client/call-tree.ts";
import type { FunctionLogRecord, RuntimeClient } from "../../daemon/client/runtime-client.ts";
import type { CliConfig } from "../config/parse-config.ts";
import type { CliContext } from "../context.ts";
import type { SourceTexts } from "../source-texts.ts";
import { nameOf } from "./call-trace.ts";
import { logLine } from "./function-logs.ts";

export interface RunLog {
  /** The function that logged: the called one, or one called by it. */
  readonly address: string;
  readonly level: FunctionLogRecord["level"];
  readonly text: string;
}

/** Logs of an operation in the order they were written; undefined where the node keeps no traces. */
export async function logsOf(client: RuntimeClient, hash: string): Promise<RunLog[] | undefined> {
  const found = await client.trace(hash);
  if (found === undefined) return undefined;
  if (found.trace === null) return [];
  return logsOfTrace(found.trace.call).map((log) => ({ ...log, level: log.level as RunLog["level"] }));
}

/** Notes `[<LEVEL>]: <text>`, with the function's name unless it is the called one. */
export async function showLogs(
  context: CliContext,
  config: CliConfig,
  { called, named }: { readonly called: string } & Pick<SourceTexts, "named">,
  logs: RunLog[],
): Promise<void> {
  for (const { address, level, text } of logs) {
    const whose = address === called ? "" : `${nameOf(config, address)}: `;
    context.terminal.note(logLine({ level, text: `${whose}${await named(text)}` }, context));
  }
}
