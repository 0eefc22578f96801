// The owner record: a small file that tells other programs of this user which daemon runs on a port. It is
// written as a whole, removed on exit, and ignored when its process is gone. The bound port is the real lock;
// the record only tells.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  booleanField,
  decodedOrNothing,
  fieldsOf,
  integerField,
  optionalField,
  textField,
} from "../tezos/json-fields.ts";
import { configFolder } from "./config-folder.ts";
import { makeFolder } from "./make-folder.ts";

export interface OwnerRecord {
  readonly pid: number;
  /** Start time of the daemon, ISO. */
  readonly startedAt: string;
  /** What the system says of the process's start: tells a re-used pid from the real owner, where it says it. */
  readonly processStart?: string;
  readonly version: string;
  /** Absolute path of the file it was started with, if any: a restart takes it again. */
  readonly configFile?: string;
  readonly endpoint: string;
  readonly layer1Endpoint?: string;
  readonly runtimeEndpoint?: string;
  /** What its owner shows to rule it; the file is for this user alone. */
  readonly adminSecret: string;
  /** Started on free ports, for one that was told them: not to be found by others of this user. */
  readonly isPrivate?: boolean;
  readonly life: (typeof LIVES)[number];
}

/** `lifeline`: ends with its clients; `detached`: until stopped. */
const LIVES = ["lifeline", "detached"] as const;

const FOLDER = "run";

function recordFile(port: number, env: NodeJS.ProcessEnv): string {
  return join(configFolder(env), FOLDER, `sandboxd-${port}.json`);
}

/**
 * Writes the record of a daemon that has bound its port. Failure to write is no failure of the daemon: the
 * reason is returned for the log.
 */
export function writeOwnerRecord(
  port: number,
  record: OwnerRecord,
  env: NodeJS.ProcessEnv,
): Error | undefined {
  const file = recordFile(port, env);
  const draft = `${file}.new`; // one name, because one process holds the port
  try {
    makeFolder(join(configFolder(env), FOLDER));
    rmSync(draft, { force: true }); // of a daemon that was killed while it wrote
    writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { flag: "wx", mode: 0o600 });
    // Whoever holds the port is the owner, so an older record of the same port is stale by definition. It is replaced
    // in one step: a command that looks meanwhile must not miss the sandbox.
    renameSync(draft, file);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Removes the record if it is the one of this process. */
export function removeOwnerRecord(port: number, pid: number, env: NodeJS.ProcessEnv): void {
  if (readOwnerRecord(port, env)?.pid === pid) rmSync(recordFile(port, env), { force: true });
}

/** The record of a port whose process lives, or undefined: a dead process's record, or a re-used pid, is stale. */
export function readOwnerRecord(port: number, env: NodeJS.ProcessEnv): OwnerRecord | undefined {
  return readRecord(recordFile(port, env));
}

/** Records of all daemons of this user that live. */
export function liveOwnerRecords(env: NodeJS.ProcessEnv): OwnerRecord[] {
  const folder = join(configFolder(env), FOLDER);
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return []; // no folder: no daemon has ever written one
  }
  return names
    .filter((name) => /^sandboxd-\d+\.json$/.test(name))
    .map((name) => readRecord(join(folder, name)))
    .filter((record) => record !== undefined);
}

function readRecord(file: string): OwnerRecord | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return undefined; // no record
  }
  const record = decodedOrNothing(text, recordOf); // a crash may have left it half-written
  if (record === undefined || !isAlive(record.pid)) return undefined;
  const start = processStart(record.pid);
  return start === undefined || record.processStart === undefined || start === record.processStart
    ? record
    : undefined;
}

/** A field for each of a record: one that is forgotten here does not compile. */
type Read = { readonly [Name in keyof Required<OwnerRecord>]: OwnerRecord[Name] | undefined };

/** @throws MalformedJson */
function recordOf(json: unknown): OwnerRecord {
  const fields = fieldsOf(json, "record");
  const text = (name: string): string => textField(fields[name], name);
  const optional = (name: string): string | undefined => optionalField(fields[name], () => text(name));
  const read: Read = {
    pid: integerField(fields["pid"], "pid", { least: 1, most: Number.MAX_SAFE_INTEGER }),
    startedAt: text("startedAt"),
    processStart: optional("processStart"),
    version: text("version"),
    configFile: optional("configFile"),
    endpoint: text("endpoint"),
    layer1Endpoint: optional("layer1Endpoint"),
    runtimeEndpoint: optional("runtimeEndpoint"),
    adminSecret: text("adminSecret"),
    isPrivate: optionalField(fields["isPrivate"], (value) => booleanField(value, "isPrivate")),
    life: textField(fields["life"], "life", LIVES.join(" or "), isLife),
  };
  const given = Object.entries(read).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as unknown as OwnerRecord; // what is absent stays so
}

const isLife = (text: string): text is OwnerRecord["life"] => (LIVES as readonly string[]).includes(text);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Start of a process in clock ticks since boot, where the system has /proc; undefined elsewhere. */
export function processStart(pid: number): string | undefined {
  try {
    // The name in parentheses may hold spaces; the start time is the 20th field after it.
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19];
  } catch {
    return undefined; // not Linux: the pid alone must do
  }
}
