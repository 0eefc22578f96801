// Where clients of a sandbox find the secret of its owner: in the environment, in the record of a daemon of this user,
// or in what was kept when a container was started.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ADMIN_SECRET_VARIABLE, type OwnerSecret } from "../protocol/admin-secret.ts";
import { decodedOrNothing, fieldsOf, textField } from "../tezos/json-fields.ts";
import { configFolder } from "./config-folder.ts";
import { makeFolder } from "./make-folder.ts";
import { readOwnerRecord } from "./owner-record.ts";

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The secret of the sandbox at a base URL; undefined when this user has none. */
export function findAdminSecret(endpoint: string, env: NodeJS.ProcessEnv): OwnerSecret | undefined {
  const record = readOwnerRecord(placeOf(endpoint).port, env);
  const isDirect = record !== undefined && isSamePlace(record.endpoint, endpoint);
  const given = env[ADMIN_SECRET_VARIABLE];
  if (given) return { text: given, isDirect };
  if (isDirect) return { text: record.adminSecret, isDirect };
  const text = kept(endpoint, env);
  return text === undefined ? undefined : { text, isDirect: false };
}

interface Kept {
  readonly endpoint: string;
  readonly adminSecret: string;
}

/** Keeps the secret of a sandbox in a container, for the commands that follow. Failure to write is returned. */
export function keepAdminSecret(
  endpoint: string,
  adminSecret: string,
  env: NodeJS.ProcessEnv,
): Error | undefined {
  const { folder, file } = keptFile(endpoint, env);
  try {
    makeFolder(folder);
    rmSync(file, { force: true }); // an older one keeps its mode when it is written over
    writeFileSync(file, `${JSON.stringify({ endpoint, adminSecret } satisfies Kept)}\n`, {
      flag: "wx",
      mode: 0o600,
    });
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Base URLs of the containers whose secrets are kept. Whether they still run is not known. */
export function keptEndpoints(env: NodeJS.ProcessEnv): string[] {
  let names: string[];
  try {
    names = readdirSync(runFolder(env));
  } catch {
    return []; // no folder: nothing was ever kept
  }
  return names
    .filter((name) => /^container-\d+\.json$/.test(name))
    .map((name) => readKept(join(runFolder(env), name))?.endpoint)
    .filter((endpoint) => endpoint !== undefined);
}

/** Forgets what was kept of a sandbox in a container. */
export function forgetAdminSecret(endpoint: string, env: NodeJS.ProcessEnv): void {
  rmSync(keptFile(endpoint, env).file, { force: true });
}

function kept(endpoint: string, env: NodeJS.ProcessEnv): string | undefined {
  const record = readKept(keptFile(endpoint, env).file);
  return record && isSamePlace(record.endpoint, endpoint) ? record.adminSecret : undefined;
}

function readKept(file: string): Kept | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return undefined; // nothing kept
  }
  // A crash may have left it half-written.
  return decodedOrNothing(text, (json) => {
    const { endpoint, adminSecret } = fieldsOf(json, "file");
    return {
      endpoint: textField(endpoint, "endpoint", "a URL", URL.canParse),
      adminSecret: textField(adminSecret, "adminSecret"),
    };
  });
}

function keptFile(
  endpoint: string,
  env: NodeJS.ProcessEnv,
): { readonly folder: string; readonly file: string } {
  const folder = runFolder(env);
  return { folder, file: join(folder, `container-${placeOf(endpoint).port}.json`) };
}

const runFolder = (env: NodeJS.ProcessEnv): string => join(configFolder(env), "run");

function placeOf(endpoint: string): {
  readonly host: string;
  readonly port: number;
  readonly isLocal: boolean;
} {
  const { hostname, port } = new URL(endpoint);
  const isLocal = LOOPBACK_HOSTS.has(hostname);
  return { host: isLocal ? "localhost" : hostname, port: Number(port || 80), isLocal };
}

/** Whether two base URLs lead to one server, by whatever name of loopback. */
export function isSamePlace(one: string, other: string): boolean {
  const [a, b] = [placeOf(one), placeOf(other)];
  return a.host === b.host && a.port === b.port;
}
