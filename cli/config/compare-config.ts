// Compares a running sandbox with a configuration file: a start that finds a running sandbox does not change it, and
// must not look as if it had.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { errorInBody, SandboxError } from "../../daemon/protocol/errors.ts";
import { isObject } from "../../daemon/tezos/json-fields.ts";
import type { CliContext } from "../context.ts";

export interface Difference {
  readonly key: string;
  readonly running: unknown;
  readonly wanted: unknown;
}

type Tree = Readonly<Record<string, unknown>>;

/** Settings that a container gets in addition to its configuration, or that its engine decides. */
const OF_THE_CONTAINER = [
  "server_host",
  "server_port",
  "public_host",
  "allowed_hosts",
  "layer1_node.rpc_endpoint",
  "runtime_node.endpoint",
];
/** Alternative spellings of other keys. */
const REPEATED = ["octez_node", "octez_client", "jstz_node"];

/**
 * Warns how the running sandbox differs from a file.
 * @param running the configuration reported by the sandbox
 * @throws SandboxError CONFIG_UNREADABLE, CONFIG_INVALID for a file that no sandbox could start with
 */
export async function warnOfDifferences(
  context: Pick<CliContext, "distFolder" | "terminal">,
  file: string | undefined,
  running: Tree,
  options: { readonly inContainer: boolean; readonly detach?: boolean | undefined },
): Promise<Difference[]> {
  if (file === undefined) return [];
  const { config, warnings } = await effectiveConfig(context, file);
  for (const warning of warnings) context.terminal.warn(warning);
  const found = differences(config, running, options.inContainer ? OF_THE_CONTAINER : []);
  if (found.length > 0) {
    const lines = found.map(
      (each) => `  ${each.key} is ${valueText(each.running)}, the file says ${valueText(each.wanted)}`,
    );
    const restart = `functez sandbox ${options.inContainer ? "--container " : ""}restart ${options.detach ? "-d " : ""}-c ${file}`;
    context.terminal.warn(
      `the running sandbox was not started with ${file}, and keeps its configuration:\n${lines.join("\n")}\n\`${restart}\` starts one with the file; the state is lost.`,
    );
  }
  return found;
}

/** Keys of `wanted` whose values differ in the running configuration. Port 0 is any port. */
function differences(wanted: Tree, running: Tree, ignored: readonly string[]): Difference[] {
  const compare = (want: unknown, have: unknown, path: string): Difference[] => {
    if (ignored.includes(path) || REPEATED.includes(path)) return [];
    if (isObject(want) && isObject(have))
      return Object.keys(want).flatMap((key) =>
        compare(want[key], have[key], path === "" ? key : `${path}.${key}`),
      );
    const isFree = want === 0 ? /port$/.test(path) : typeof want === "string" && /:0$/.test(want);
    return isFree || JSON.stringify(want) === JSON.stringify(have)
      ? []
      : [{ key: path, running: have, wanted: want }];
  };
  return compare(wanted, running, "");
}

const valueText = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

/** Asks the daemon for the effective configuration of a file: only it knows defaults and other spellings. */
function effectiveConfig(
  { distFolder }: Pick<CliContext, "distFolder">,
  file: string,
): Promise<{ readonly config: Tree; readonly warnings: readonly string[] }> {
  const args = [join(distFolder, "sandboxd.cjs"), "config", file];
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: "1" };
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      args,
      { env, encoding: "utf8", windowsHide: true },
      (failure, stdout, stderr) => {
        if (failure === null) resolve(JSON.parse(stdout) as { config: Tree; warnings: readonly string[] });
        else
          reject(
            errorInBody(stdout) ??
              new SandboxError(
                "SANDBOX_START_FAILED",
                { reason: stderr.trim() || failure.message },
                { cause: failure },
              ),
          );
      },
    );
  });
}
