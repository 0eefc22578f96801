// Whether this command runs in a container itself: a dev container, Codespaces, a job of a CI service. With the engine's
// socket mounted it can start containers, and does not reach what they publish on the loopback of the engine's machine.
import { existsSync, readFileSync } from "node:fs";

/** Variables that such places set, as far as they set one. */
const VARIABLES = ["REMOTE_CONTAINERS", "CODESPACES", "container"];

export function isInsideContainer(env: NodeJS.ProcessEnv): boolean {
  return (
    VARIABLES.some((name) => env[name] !== undefined && env[name] !== "") ||
    existsSync("/.dockerenv") ||
    existsSync("/run/.containerenv")
  );
}

/** Address of the engine's machine as this container reaches it: its gateway. Undefined where it is not known. */
export function engineGateway(): string | undefined {
  try {
    return gatewayIn(readFileSync("/proc/net/route", "utf8"));
  } catch {
    return undefined; // not Linux
  }
}

/** The gateway of the default route, in the kernel's table. */
export function gatewayIn(table: string): string | undefined {
  for (const line of table.split("\n").slice(1)) {
    const [, destination, gateway = ""] = line.trim().split(/\s+/);
    if (destination !== "00000000" || !/^[0-9A-F]{8}$/i.test(gateway) || gateway === "00000000") continue;
    return [...Buffer.from(gateway, "hex")].reverse().join("."); // the bytes of the machine's order
  }
  return undefined;
}
