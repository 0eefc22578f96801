// The environment of every command; created once by main.ts.
import { resolve } from "node:path";
import { type ConfigFile, createConfigFile, createConfigFileAt } from "./config/config-file.ts";
import { createTerminal, type Terminal } from "./render/terminal.ts";

export interface CliContext {
  readonly terminal: Terminal;
  readonly config: ConfigFile;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadStream;
  /** Folder of the bundled daemon. */
  readonly distFolder: string;
  /** Aborted by Ctrl-C: commands that wait must observe it. */
  readonly signal: AbortSignal;
}

/** After Ctrl-C in a stream: the terminal shows `^C`, and the prompt belongs on the next line. */
export function endLine({ terminal, signal }: CliContext): void {
  if (terminal.interactive && signal.aborted) terminal.note("");
}

/** The same context with another configuration file, if given. */
export function withConfigFile(context: CliContext, file: string | undefined): CliContext {
  return file === undefined ? context : { ...context, config: createConfigFileAt(resolve(file)) };
}

export function createContext(options: {
  readonly json: boolean;
  readonly distFolder: string;
  readonly signal: AbortSignal;
  readonly process: NodeJS.Process;
}): CliContext {
  const { env, stdout, stderr, stdin } = options.process;
  return {
    terminal: createTerminal({ json: options.json, stdout, stderr, stdin }),
    config: createConfigFile(env),
    env,
    stdin,
    distFolder: options.distFolder,
    signal: options.signal,
  };
}
