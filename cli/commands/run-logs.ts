// `functez run --trace`: what the called functions logged, from the trace of the operation.
import type { CallNode, OperationTrace } from "../../daemon/client/call-tree.ts";
import type { FunctionLogRecord, RuntimeClient } from "../../daemon/client/runtime-client.ts";
import type { CliConfig } from "../config/config-file.ts";
import type { CliContext } from "../context.ts";
import { nameOf } from "./call-trace.ts";
import { logLine } from "./function-logs.ts";

export interface RunLog {
  /** The function that logged: the called one, or one that it called. */
  readonly address: string;
  readonly level: FunctionLogRecord["level"];
  readonly text: string;
}

/** Logs of an operation in the order of its calls; undefined where the node keeps no traces. */
export async function logsOf(client: RuntimeClient, hash: string): Promise<RunLog[] | undefined> {
  const found = (await client.trace(hash)) as OperationTrace | undefined;
  if (found === undefined) return undefined;
  return found.trace === null ? [] : logsOfCall(found.trace.call);
}

function logsOfCall({ address, logs, calls }: CallNode): RunLog[] {
  const own = logs.map(({ level, text }) => ({ address, level: level as RunLog["level"], text }));
  return [...own, ...calls.flatMap(logsOfCall)];
}

/** Notes `[<LEVEL>]: <text>`, with the name of the function where it is not the called one. */
export function showLogs(context: CliContext, config: CliConfig, called: string, logs: RunLog[]): void {
  for (const { address, level, text } of logs) {
    const whose = address === called ? "" : `${nameOf(config, address)}: `;
    context.terminal.note(logLine({ level, text: `${whose}${text}` }, context));
  }
}
