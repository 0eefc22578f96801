// `functez profile <operation>`: where the gas of an operation went, as a table or as a CPU profile.
import { writeFileSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { CpuProfile, ProfileNode } from "../../daemon/protocol/debug-api.ts";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import type { CliContext } from "../context.ts";
import { fromHere } from "../render/from-here.ts";
import { debugClient } from "../shelve-source.ts";
import { nameOf } from "./call-trace.ts";
import { operationOf } from "./which-operation.ts";

/** Rows of the table. */
const SHOWN = 20;

export async function profile(
  context: CliContext,
  operation: string,
  { output }: { readonly output?: string },
): Promise<void> {
  const { terminal } = context;
  const hash = await operationOf(context, operation);
  const config = await context.config.read();
  const report = await terminal.withStep("Replaying the operation", async (step) => {
    const found = await debugClient(context).profile(hash);
    step.done();
    return found;
  });
  const shown = readableProfile(report.profile, (address) => nameOf(config, address));
  if (!report.isWhole)
    terminal.warn("The operation is long: for what came later, the profile does not say who called.");
  if (output === undefined) {
    terminal.print(profileTable(hash, shown).join("\n"));
    return terminal.data({ ...report, profile: shown });
  }
  const file = resolve(output.endsWith(".cpuprofile") ? output : `${output}.cpuprofile`);
  try {
    writeFileSync(file, JSON.stringify(shown));
  } catch (error) {
    throw new SandboxError("FILE_UNWRITABLE", { file, reason: reasonOf(error) });
  }
  terminal.print(`Profile of ${report.gas} gas written to ${fromHere(file)}.`);
  terminal.note("VS Code and speedscope open it; what they call 1 ms is 1,000 units of gas.");
  terminal.data({ hash, gas: report.gas, isWhole: report.isWhole, file });
}

/** Names for addresses, and file URLs, which viewers open. */
export function readableProfile(cpuProfile: CpuProfile, name: (address: string) => string): CpuProfile {
  const nodes = cpuProfile.nodes.map((node): ProfileNode => {
    const { callFrame } = node;
    const { functionName, url } = callFrame;
    const shownUrl = isAbsolute(url) ? pathToFileURL(url).href : url;
    return { ...node, callFrame: { ...callFrame, functionName: name(functionName), url: shownUrl } };
  });
  return { ...cpuProfile, nodes };
}

interface Row {
  readonly what: string;
  readonly where: string;
  gas: number;
}

/** Functions by the gas that they used themselves. */
export function profileTable(hash: string, { nodes, samples, timeDeltas, endTime }: CpuProfile): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const rows = new Map<string, Row>();
  samples.forEach((id, i) => {
    const { functionName, url, lineNumber } = byId.get(id)!.callFrame;
    const key = `${functionName}\n${url}:${lineNumber}`;
    let row = rows.get(key);
    if (row === undefined) {
      const where = url === "" ? "" : `${placeOf(url)}:${lineNumber + 1}`;
      rows.set(key, (row = { what: functionName, where, gas: 0 }));
    }
    const end = timeDeltas[i + 1];
    row.gas += end ?? endTime - timeDeltas.reduce((sum, delta) => sum + delta, 0);
  });
  const sorted = [...rows.values()].sort((one, other) => other.gas - one.gas);
  const shown = sorted.slice(0, SHOWN);
  const rest = sorted.slice(SHOWN);
  if (rest.length > 0) {
    const gas = rest.reduce((sum, row) => sum + row.gas, 0);
    shown.push({ what: `(${rest.length} other functions)`, where: "", gas });
  }
  const width = String(endTime).length;
  return [
    `operation ${hash}`,
    `  ${endTime} gas`,
    "",
    ...shown.map(({ what, where, gas }) =>
      `  ${String(gas).padStart(width)}  ${share(gas, endTime)}  ${what}${where && `  ${where}`}`.trimEnd(),
    ),
  ];
}

const share = (gas: number, total: number): string =>
  `${(total === 0 ? 0 : (100 * gas) / total).toFixed(1).padStart(5)} %`;

/** A path for the terminal, from a file URL. */
function placeOf(url: string): string {
  return url.startsWith("file:") ? fromHere(fileURLToPath(url)) : url;
}
