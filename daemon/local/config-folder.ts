// The one folder in the user's home that functez writes to.
import { homedir } from "node:os";
import { join } from "node:path";

/** `$XDG_CONFIG_HOME/functez`, else `~/.config/functez`, on every system. */
export function configFolder(env: NodeJS.ProcessEnv): string {
  const base = env["XDG_CONFIG_HOME"];
  return join(base !== undefined && base !== "" ? base : join(homedir(), ".config"), "functez");
}
