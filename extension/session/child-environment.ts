// Environment and start of the bundled programs. The editor's own binary runs them as plain Node, so there is nothing
// to install.
import { type ChildProcess, spawn } from "node:child_process";

/** Inspector and editor variables must not reach a child: they make it wait for a debugger or misbehave. */
const DROPPED = /^(VSCODE_|ELECTRON_|NODE_OPTIONS$|NODE_INSPECT)/;

/** Environment of a child process. */
export function childEnvironment(env: NodeJS.ProcessEnv, extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !DROPPED.test(name)));
  // Without it a desktop editor's binary would open a window instead of running the script.
  return { ...kept, ...extra, ELECTRON_RUN_AS_NODE: "1" };
}

/** Starts a bundled script with pipes on all three streams. Never through a shell or PATH. */
export function spawnScript(
  script: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): ChildProcess {
  return spawn(process.execPath, [script, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: childEnvironment(process.env, options.env),
    windowsHide: true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
}
