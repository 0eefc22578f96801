// Accounts of an existing Jstz configuration, for `account import --from-jstz`.
import { homedir } from "node:os";
import { join } from "node:path";
import { readLocatedJson } from "../../daemon/local/located-json.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";

/** Location of the Jstz CLI's configuration. */
export function jstzConfigFile(env: NodeJS.ProcessEnv): string {
  const base = env["XDG_CONFIG_HOME"];
  return base !== undefined && base !== ""
    ? join(base, "config.json")
    : join(homedir(), ".config", "jstz", "config.json");
}

/** Secret key of an alias in a Jstz configuration. @throws SandboxError CONFIG_UNREADABLE, CONFIG_INVALID, UNKNOWN_ALIAS */
export function jstzSecretKey(file: string, alias: string): string {
  const { value } = readLocatedJson(file, { invalid: "CONFIG_INVALID" });
  const accounts =
    (value as { accounts?: Record<string, { User?: { secret_key?: unknown } }> }).accounts ?? {};
  const key = Object.hasOwn(accounts, alias) ? accounts[alias]?.User?.secret_key : undefined;
  if (typeof key === "string") return key;
  const users = Object.keys(accounts).filter((name) => accounts[name]?.User);
  throw new SandboxError("UNKNOWN_ALIAS", {
    found: alias,
    next: users.length > 0 ? `${file} has ${users.join(", ")}.` : `${file} has no user accounts.`,
  });
}
