// Whether this command itself runs in a container: a dev container, Codespaces, a CI job. With the engine's socket
// mounted it can start containers, but cannot reach ports published on the loopback of the engine's machine.
import { existsSync, readFileSync } from "node:fs";

/** Variables set by such environments, if any. */
const VARIABLES = ["REMOTE_CONTAINERS", "CODESPACES", "container"];

export function isInsideContainer(env: NodeJS.ProcessEnv): boolean {
  return (
    VARIABLES.some((name) => env[name] !== undefined && env[name] !== "") ||
    existsSync("/.dockerenv") ||
    existsSync("/run/.containerenv")
  );
}

/** Address of the engine's machine as seen from this container: its gateway. Undefined if unknown. */
export function engineGateway(): string | undefined {
  try {
    return gatewayIn(readFileSync("/proc/net/route", "utf8"));
  } catch {
    return undefined; // not Linux
  }
}

/** The gateway of the default route in the kernel's table. */
export function gatewayIn(table: string): string | undefined {
  for (const line of table.split("\n").slice(1)) {
    const [, destination, gateway = ""] = line.trim().split(/\s+/);
    if (destination !== "00000000" || !/^[0-9A-F]{8}$/i.test(gateway) || gateway === "00000000") continue;
    return [...Buffer.from(gateway, "hex")].reverse().join("."); // the table is in native byte order
  }
  return undefined;
}
