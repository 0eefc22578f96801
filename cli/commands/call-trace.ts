// `functez call trace <operation>`: the call tree of an operation.
import { callTreeText } from "../../daemon/client/call-tree.ts";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { openRuntime } from "../config/network.ts";
import type { CliConfig } from "../config/parse-config.ts";
import type { CliContext } from "../context.ts";
import { fromHere } from "../render/from-here.ts";
import { sourceLinesText } from "../render/source-lines.ts";
import { debugClient } from "../shelve-source.ts";
import { sourceTexts } from "../source-texts.ts";

export async function traceCall(
  context: CliContext,
  hash: string,
  options: { readonly network?: string; readonly source?: boolean },
): Promise<void> {
  if (!/^[0-9a-f]{64}$/i.test(hash)) {
    throw new SandboxError("BAD_OPTION", {
      option: "<operation>",
      found: hash,
      expected: "an operation hash of 64 hex digits",
    });
  }
  const config = await context.config.read();
  const { runtime, network } = await openRuntime(context, config, options.network, "look");
  if (options.source === true && !network.isSandbox) {
    throw new SandboxError("BAD_OPTION", {
      option: "--source",
      found: network.name,
      expected: "the local sandbox: only there operations can run again",
    });
  }
  const trace = await runtime.trace(hash.toLowerCase());
  if (trace === undefined) {
    throw new SandboxError("NOT_FOUND", {
      what: `operation ${hash}`,
      next: "The sandbox keeps the traces of its latest operations; a restart removes them.",
    });
  }
  const tree = callTreeText(trace, (address) => nameOf(config, address));
  const texts = sourceTexts(context, network);
  context.terminal.print(await texts.named(tree));
  const data = { ...trace, ...(context.terminal.json && (await texts.sourcesIn([tree]))) };
  if (options.source !== true) return context.terminal.data(data);
  const report = await debugClient(context).lines(hash.toLowerCase());
  context.terminal.print(sourceLinesText(report, placeNamed(config)));
  context.terminal.data({ ...data, lines: report.lines });
}

/** A path for the terminal; a function without a source map by its alias. */
export const placeNamed =
  (config: CliConfig) =>
  (source: string): string =>
    source.startsWith("jstz://")
      ? `jstz://${nameOf(config, source.slice("jstz://".length))}`
      : fromHere(source);

/** Alias or bootstrap label of an address, else the address. */
export function nameOf(config: CliConfig, address: string): string {
  for (const [alias, entry] of Object.entries(config.accounts)) {
    if (("User" in entry ? entry.User.address : entry.SmartFunction.address) === address) return alias;
  }
  return BOOTSTRAP_ACCOUNTS.find((account) => account.address === address)?.label ?? address;
}
