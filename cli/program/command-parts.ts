// Common to the groups of commands: the needs of every action, and options with the same meaning everywhere.
import { Option } from "commander";
import { SANDBOX_NETWORK } from "../../daemon/protocol/constants.ts";
import type { CliContext } from "../context.ts";

export interface CommandParts {
  /** Creates the context of the running command. */
  readonly context: () => CliContext;
  /** Receives the exit code of a command that returns one. */
  readonly setExitCode: (code: number) => void;
}

export const SENDER =
  "bootstrap0 to bootstrap5, a label of the sandbox's configuration, or one of your accounts";

export const networkOption = (): Option =>
  new Option("-n, --network <name>", `network, ${SANDBOX_NETWORK} for the local sandbox`);

/** For commands that sign. */
export const accountOption = (): Option =>
  new Option("--account <alias>", "account that signs and pays (default: the one you are logged in to)");

/** For commands that sign. */
export const publicKeyOption = (): Option =>
  new Option(
    "--yes-public-key",
    "sign with a published development key (bootstrap0…) on a network that is not the sandbox",
  );

export const forceOption = (): Option => new Option("-f, --force", "overwrite an existing alias");
