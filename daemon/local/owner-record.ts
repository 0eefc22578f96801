// The owner record: a small file that tells this user's other programs which daemon runs on a port. It is replaced
// atomically, removed on exit, and ignored when its process is dead. The bound port is the real lock; the record only
// informs.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  booleanField,
  tryDecode,
  fieldsOf,
  integerField,
  optionalField,
  textField,
} from "../tezos/json-fields.ts";
import { configFolder } from "./config-folder.ts";
import { makeFolder } from "./make-folder.ts";
import { readRegularFile } from "./regular-file.ts";

export interface OwnerRecord {
  readonly pid: number;
  /** Start time of the daemon, ISO. */
  readonly startedAt: string;
  /** Start time of the process as the system reports it, if it does; distinguishes a reused pid from the real owner. */
  readonly processStart?: string;
  readonly version: string;
  /** Absolute path of the configuration file, if any; a restart uses it again. */
  readonly configFile?: string;
  readonly endpoint: string;
  readonly layer1Endpoint?: string;
  readonly runtimeEndpoint?: string;
  /** The owner's secret; only this user can read the file. */
  readonly adminSecret: string;
  /** Started on free ports for one client that was told them; not to be found by this user's other programs. */
  readonly isPrivate?: boolean;
  readonly life: (typeof LIVES)[number];
}

/** `lifeline`: ends with its clients; `detached`: until stopped. */
const LIVES = ["lifeline", "detached"] as const;

const FOLDER = "run";

function recordFile(port: number, env: NodeJS.ProcessEnv): string {
  return join(configFolder(env), FOLDER, `sandboxd-${port}.json`);
}

/** Writes the record of a daemon that has bound its port. @returns the reason of a failure, which the daemon only logs */
export function writeOwnerRecord(
  port: number,
  record: OwnerRecord,
  env: NodeJS.ProcessEnv,
): Error | undefined {
  const file = recordFile(port, env);
  const draft = `${file}.new`; // one name suffices, for one process holds the port
  try {
    makeFolder(join(configFolder(env), FOLDER));
    rmSync(draft, { force: true }); // left by a daemon that was killed while writing
    writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { flag: "wx", mode: 0o600 });
    // Only the owner holds the port, so an older record of that port is stale. Renaming is atomic: a concurrent command must
    // not miss the sandbox.
    renameSync(draft, file);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Removes the record if it belongs to this process. */
export function removeOwnerRecord(port: number, pid: number, env: NodeJS.ProcessEnv): void {
  if (readOwnerRecord(port, env)?.pid === pid) rmSync(recordFile(port, env), { force: true });
}

/** The record of a port if its process lives; undefined when the process is dead or its pid was reused. */
export function readOwnerRecord(port: number, env: NodeJS.ProcessEnv): OwnerRecord | undefined {
  return readRecord(recordFile(port, env));
}

/** Records of all live daemons of this user. */
export function liveOwnerRecords(env: NodeJS.ProcessEnv): OwnerRecord[] {
  const folder = join(configFolder(env), FOLDER);
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return []; // no folder, so no daemon ever wrote a record
  }
  return names
    .filter((name) => /^sandboxd-\d+\.json$/.test(name))
    .map((name) => readRecord(join(folder, name)))
    .filter((record) => record !== undefined);
}

function readRecord(file: string): OwnerRecord | undefined {
  let text: string;
  try {
    text = readRegularFile(file).toString("utf8");
  } catch {
    return undefined; // no record
  }
  const record = tryDecode(text, recordOf); // a crash may have left it half-written
  if (record === undefined || !isAlive(record.pid)) return undefined;
  const start = processStart(record.pid);
  return start === undefined || record.processStart === undefined || start === record.processStart
    ? record
    : undefined;
}

/** One entry per field of a record: a forgotten one does not compile. */
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
  return Object.fromEntries(given) as unknown as OwnerRecord; // absent fields stay absent
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

/** Start of a process in clock ticks since boot, on systems with /proc; undefined elsewhere. */
export function processStart(pid: number): string | undefined {
  try {
    // The name in parentheses may contain spaces; the start time is the 20th field after it.
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19];
  } catch {
    return undefined; // not Linux: the pid alone must do
  }
}
