// What the groups of commands share: what every action needs, and the options that mean the same everywhere.
import { Option } from "commander";
import { SANDBOX_NETWORK } from "../../daemon/protocol/constants.ts";
import type { CliContext } from "../context.ts";

export interface CommandParts {
  /** Makes the context of the command that runs. */
  readonly context: () => CliContext;
  /** Takes the exit code of a command that has one of its own. */
  readonly setExitCode: (code: number) => void;
}

/** Default of `--gas-limit`, as in the Jstz CLI. */
export const DEFAULT_GAS_LIMIT = "550000";

export const SENDER =
  "bootstrap0 to bootstrap5, a label of the sandbox's configuration, or an account of yours";

export const networkOption = (): Option =>
  new Option("-n, --network <name>", `network, ${SANDBOX_NETWORK} for the local sandbox`);

export const forceOption = (): Option => new Option("-f, --force", "overwrite an existing alias");
