// Finds the owner's secret of a sandbox for its clients: in the environment, in the record of this user's daemon, or in the
// file stored when a container was started.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ADMIN_SECRET_VARIABLE, type OwnerSecret } from "../protocol/admin-secret.ts";
import { tryDecode, fieldsOf, textField } from "../tezos/json-fields.ts";
import { configFolder } from "./config-folder.ts";
import { makeFolder } from "./make-folder.ts";
import { liveOwnerRecords, readOwnerRecord } from "./owner-record.ts";
import { readRegularFile } from "./regular-file.ts";

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The secret of the sandbox at a base URL; undefined when this user has none. */
export function findAdminSecret(endpoint: string, env: NodeJS.ProcessEnv): OwnerSecret | undefined {
  const record = readOwnerRecord(placeOf(endpoint).port, env);
  const isDirect = record !== undefined && isSamePlace(record.endpoint, endpoint);
  const given = env[ADMIN_SECRET_VARIABLE];
  if (given) return { text: given, isDirect };
  if (isDirect) return { text: record.adminSecret, isDirect };
  const text = storedSecret(endpoint, env);
  return text === undefined ? undefined : { text, isDirect: false };
}

interface StoredSecret {
  readonly endpoint: string;
  readonly adminSecret: string;
}

/** Stores the secret of a sandbox in a container for later commands. @returns the error when that failed */
export function keepAdminSecret(
  endpoint: string,
  adminSecret: string,
  env: NodeJS.ProcessEnv,
): Error | undefined {
  const { folder, file } = secretFile(endpoint, env);
  try {
    makeFolder(folder);
    rmSync(file, { force: true }); // overwriting would keep the mode of an older file
    writeFileSync(file, `${JSON.stringify({ endpoint, adminSecret } satisfies StoredSecret)}\n`, {
      flag: "wx",
      mode: 0o600,
    });
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Base URLs of containers with stored secrets, running or not. */
export const keptEndpoints = (env: NodeJS.ProcessEnv): string[] =>
  storedSecrets(env).map(({ endpoint }) => endpoint);

/** The owner's secrets that this user has: of running daemons, of containers, and the one in the environment. */
export function ownerSecrets(env: NodeJS.ProcessEnv): readonly string[] {
  const given = env[ADMIN_SECRET_VARIABLE];
  const known = [...liveOwnerRecords(env), ...storedSecrets(env)].map(({ adminSecret }) => adminSecret);
  return given ? [...known, given] : known;
}

function storedSecrets(env: NodeJS.ProcessEnv): StoredSecret[] {
  let names: string[];
  try {
    names = readdirSync(runFolder(env));
  } catch {
    return []; // no folder, so nothing was ever stored
  }
  return names
    .filter((name) => /^container-\d+\.json$/.test(name))
    .map((name) => readStored(join(runFolder(env), name)))
    .filter((stored) => stored !== undefined);
}

/** Deletes the stored secret of a sandbox in a container. */
export function forgetAdminSecret(endpoint: string, env: NodeJS.ProcessEnv): void {
  rmSync(secretFile(endpoint, env).file, { force: true });
}

function storedSecret(endpoint: string, env: NodeJS.ProcessEnv): string | undefined {
  const record = readStored(secretFile(endpoint, env).file);
  return record && isSamePlace(record.endpoint, endpoint) ? record.adminSecret : undefined;
}

function readStored(file: string): StoredSecret | undefined {
  let text: string;
  try {
    text = readRegularFile(file).toString("utf8");
  } catch {
    return undefined; // nothing stored
  }
  // A crash may have left it half-written.
  return tryDecode(text, (json) => {
    const { endpoint, adminSecret } = fieldsOf(json, "file");
    return {
      endpoint: textField(endpoint, "endpoint", "a URL", URL.canParse),
      adminSecret: textField(adminSecret, "adminSecret"),
    };
  });
}

function secretFile(
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

/** Whether two base URLs lead to the same server, under any loopback name. */
export function isSamePlace(one: string, other: string): boolean {
  const [a, b] = [placeOf(one), placeOf(other)];
  return a.host === b.host && a.port === b.port;
}
