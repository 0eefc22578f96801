// Finds the sandbox that a command means: the named one, otherwise one started by this configuration folder, otherwise
// whatever listens on the usual port. The last may belong to any user.
import { isSamePlace, keptEndpoints } from "../../daemon/local/kept-secrets.ts";
import { liveOwnerRecords } from "../../daemon/local/owner-record.ts";
import { DEFAULT_PORTS, LOOPBACK } from "../../daemon/protocol/constants.ts";

/** Environment variable with sandboxd's base URL, for a sandbox that cannot be discovered (`functez exec` sets it). */
export const SANDBOX_URL_VARIABLE = "FUNCTEZ_SANDBOX_URL";

export interface LocatedSandbox {
  readonly endpoint: string;
  /** `named`: by the environment. `own`: recorded in this configuration folder. */
  readonly by: "named" | "own" | "port";
  /** Base URLs of further sandboxes of this configuration folder. */
  readonly others: readonly string[];
}

/** Endpoint of a sandbox started without a configuration. */
const USUAL = `http://${LOOPBACK}:${DEFAULT_PORTS.sandboxd}`;

/** Of several own sandboxes: the one on the usual port, else the one started last; containers after processes. */
export function locateSandbox(env: NodeJS.ProcessEnv): LocatedSandbox {
  const named = env[SANDBOX_URL_VARIABLE];
  if (named) return { endpoint: named, by: "named", others: [] };
  const records = liveOwnerRecords(env)
    .filter(({ isPrivate }) => isPrivate !== true)
    .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
  const own = [...new Set([...records.map(({ endpoint }) => endpoint), ...keptEndpoints(env)])];
  const endpoint = own.find((each) => isSamePlace(each, USUAL)) ?? own[0];
  if (endpoint === undefined) return { endpoint: USUAL, by: "port", others: [] };
  return { endpoint, by: "own", others: own.filter((each) => each !== endpoint) };
}

/** Where a start without a configuration looks: at the named sandbox, otherwise at the usual port. */
export function startEndpoint(env: NodeJS.ProcessEnv): string {
  return env[SANDBOX_URL_VARIABLE] || USUAL;
}

/** How a sandbox is known: a recorded container may be gone, and another one in its place. */
export type Known = "named" | "own" | "container" | undefined;

/** How this environment and configuration folder know the sandbox at a base URL. */
export function knownFrom(endpoint: string, env: NodeJS.ProcessEnv): Known {
  const isThere = (each: string): boolean => isSamePlace(each, endpoint);
  const named = env[SANDBOX_URL_VARIABLE];
  if (named && isThere(named)) return "named";
  if (liveOwnerRecords(env).some((record) => isThere(record.endpoint))) return "own";
  return keptEndpoints(env).some(isThere) ? "container" : undefined;
}
