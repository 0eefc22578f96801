// `functez logs trace`: shows the log of a smart function live.
import { type FunctionLogRecord } from "../../daemon/client/runtime-client.ts";
import { isError, SandboxError } from "../../daemon/protocol/errors.ts";
import { FUNCTION_LOG_LEVELS, type FunctionLogLevel } from "../../daemon/protocol/log-level.ts";
import { resolveSmartFunction } from "../config/account-lookup.ts";
import { requireFunction } from "../config/gone-function.ts";
import { openRuntime } from "../config/network.ts";
import { type CliContext, endLine } from "../context.ts";
import { sourceTexts } from "../source-texts.ts";

export async function traceLogs(
  context: CliContext,
  smartFunction: string,
  options: { readonly level: string; readonly network?: string },
): Promise<void> {
  const most = FUNCTION_LOG_LEVELS.indexOf(options.level.toUpperCase() as FunctionLogLevel);
  if (most < 0) {
    throw new SandboxError("BAD_OPTION", {
      option: "--level",
      found: options.level,
      expected: FUNCTION_LOG_LEVELS.join(", "),
    });
  }
  const config = await context.config.read();
  const address = resolveSmartFunction(config, smartFunction);
  const { network, runtime } = await openRuntime(context, config, options.network, "look");
  await requireFunction(runtime, network, config, address);
  const { named, sourcesIn } = sourceTexts(context, network);
  const records = runtime.logs(address, context.signal);
  context.terminal.note(`Connected to smart function '${address}'. Ctrl-C ends.`);
  try {
    for await (const record of records) {
      if (FUNCTION_LOG_LEVELS.indexOf(record.level) > most) continue;
      if (context.terminal.json) context.terminal.data({ ...record, ...(await sourcesIn([record.text])) });
      else context.terminal.print(logLine({ ...record, text: await named(record.text) }, context));
    }
  } catch (error) {
    if (!isError(error, "CANCELLED")) throw error; // Ctrl-C before the first answer is a normal end
  }
  endLine(context);
}

/** `[<LEVEL>]: <text>`, the level coloured by severity. */
export function logLine(
  { level, text }: Pick<FunctionLogRecord, "level" | "text">,
  { terminal }: Pick<CliContext, "terminal">,
): string {
  const { red, yellow, blue, dim } = terminal.colors;
  const paint = { ERROR: red, WARN: yellow, INFO: blue, DEBUG: dim }[level];
  return `[${paint(level)}]: ${text.replace(/\n$/, "")}`;
}
