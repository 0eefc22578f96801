// The CLI's configuration file: accounts with their keys, aliases of smart functions, networks. It has the format of
// the Jstz CLI. Written atomically with mode 0600, under a lock, so that neither a kill nor a second process can lose
// an account.
import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { configFolder } from "../../daemon/local/config-folder.ts";
import { makeFolder } from "../../daemon/local/make-folder.ts";
import { readRegularFile, UnreadableFile } from "../../daemon/local/regular-file.ts";
import { timeOfDay } from "../../daemon/local/time-of-day.ts";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import { pause } from "../../daemon/protocol/wait.ts";
import type { CliConfig } from "./parse-config.ts";

const EMPTY: CliConfig = { accounts: {}, networks: {} };
const LOCK_RETRY_MS = 20;
/** How long to wait for one lock. */
const LOCK_WAIT_MS = 5000;
/** How long to wait in total while the lock changes hands. */
const QUEUE_WAIT_MS = 60_000;
/** Age from which a lock is suspicious: a change takes milliseconds. */
const LOCK_OLD_MS = 60_000;

export interface ConfigFile {
  readonly path: string;
  /** @throws SandboxError CLI_CONFIG_INVALID with the position of the mistake */
  read(): Promise<CliConfig>;
  /** Reads, changes and writes under the lock. @throws SandboxError CLI_CONFIG_INVALID, CLI_CONFIG_UNWRITABLE */
  update(change: (config: CliConfig) => CliConfig): Promise<CliConfig>;
}

export function createConfigFile(env: NodeJS.ProcessEnv): ConfigFile {
  return createConfigFileAt(join(configFolder(env), "config.json"));
}

/** The configuration in another file than the default one. */
export function createConfigFileAt(path: string): ConfigFile {
  async function read(): Promise<CliConfig> {
    let text: string;
    try {
      text = readRegularFile(path).toString("utf8");
    } catch (error) {
      // No file, or a file in place of its folder: nothing is configured, and writing reports the problem.
      if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return EMPTY;
      throw new SandboxError("CLI_CONFIG_INVALID", {
        file: path,
        folder: dirname(path),
        line: 1,
        column: 1,
        found: error instanceof UnreadableFile ? error.found : reasonOf(error),
        expected: "a readable file",
      });
    }
    // The checker is loaded only for files that fail the quick test: most starts never need it.
    const { parseCliConfig } = await import("./parse-config.ts");
    return parseCliConfig(path, text.replace(/^\uFEFF/, "")); // Windows editors write a byte order mark
  }

  async function update(change: (config: CliConfig) => CliConfig): Promise<CliConfig> {
    let unlock: () => void;
    let target: string;
    try {
      target = targetOf(path);
      makeFolder(dirname(target));
      unlock = await lock(`${target}.lock`);
    } catch (error) {
      throw unwritable(error);
    }
    try {
      removeLeftOvers(target);
      const next = change(await read());
      writeAtomically(target, `${JSON.stringify(withoutEmpty(next), null, 2)}\n`);
      return next;
    } catch (error) {
      throw error instanceof SandboxError ? error : unwritable(error);
    } finally {
      unlock();
    }
  }

  function unwritable(error: unknown): SandboxError {
    return new SandboxError(
      "CLI_CONFIG_UNWRITABLE",
      { file: path, reason: reasonOf(error) },
      { cause: error },
    );
  }
  return { path, read, update };
}

function withoutEmpty(config: CliConfig): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).filter(
      ([, value]) =>
        value !== undefined && (typeof value !== "object" || Object.keys(value as object).length > 0),
    ),
  );
}

/** Limit of links to follow; systems allow about as many. */
const MAX_LINKS = 40;

/**
 * The file that a path leads to: people keep their configuration elsewhere and link to it, and the link must survive.
 * It may not exist yet. @throws Error for circular links
 */
function targetOf(path: string): string {
  let target = path;
  for (let links = 0; links <= MAX_LINKS; links++) {
    if (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return target;
    target = resolve(dirname(target), readlinkSync(target));
  }
  throw new Error("its links go round");
}

/** Writes a temporary file and renames it, so that a reader or a kill sees the old content or the new, never half. */
function writeAtomically(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(temporary, "w", 0o600);
    try {
      writeFileSync(file, text); // writes everything or throws: a single write call may be partial when the disk fills up
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Removes temporary files of killed writers: they contain secret keys. Requires the lock. */
function removeLeftOvers(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    const writer = LEFT_OVER.exec(name)?.[1];
    if (name.startsWith(`${basename(path)}.`) && writer !== undefined && !isAlive(Number(writer))) {
      rmSync(join(folder, name), { force: true });
    }
  }
}

/** Names of temporary files; the pid shows whether their writer may still need them. */
const LEFT_OVER = /\.(\d+)(?:-[\w-]+)?\.tmp$/;

/**
 * Takes an exclusive lock file; removes the lock of a dead process. The file appears complete in one step (as a link to
 * a finished file), so that a kill at any moment leaves a lock that names its owner.
 */
async function lock(path: string): Promise<() => void> {
  const last = performance.now() + QUEUE_WAIT_MS;
  let since = 0;
  let seen: string | undefined;
  const own = `${path}.${process.pid}-${randomUUID()}.tmp`;
  for (;;) {
    try {
      writeFileSync(own, String(process.pid), { mode: 0o600 });
      appear(own, path);
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const found = identity(path);
      if (found !== seen) since = performance.now();
      seen = found;
      const waitedLong = performance.now() - since > LOCK_WAIT_MS;
      if (isAbandoned(path, waitedLong)) breakLock(path, own, found);
      else if (waitedLong || performance.now() > last)
        throw new Error("another functez command is changing it");
      else await pause(LOCK_RETRY_MS);
    } finally {
      rmSync(own, { force: true });
    }
  }
}

/** Distinguishes successive locks of the same name. */
function identity(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return `${stats?.ino} ${stats?.mtimeNs}`;
}

/** Gives a complete file its name, unless the name exists. */
function appear(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "ENOSYS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    copyFileSync(file, name, constants.COPYFILE_EXCL); // a file system without links
  }
}

/**
 * Removes an abandoned lock by renaming, which only one of several processes can do. If another process has broken it
 * and taken a new lock in the meantime (same name, another file), that one is put back.
 */
function breakLock(path: string, aside: string, abandoned: string): void {
  try {
    renameSync(path, aside);
    if (identity(aside) !== abandoned) appear(aside, path);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/**
 * A lock is abandoned when its process is dead, or when it did not change during a long wait and is far older than any
 * change takes: its pid was reused. The age alone proves nothing, since the clock may have jumped.
 */
function isAbandoned(lockFile: string, waitedLong: boolean): boolean {
  try {
    const pid = Number(readRegularFile(lockFile).toString("utf8"));
    if (!(pid > 0) || !isAlive(pid)) return true;
    return waitedLong && timeOfDay() - statSync(lockFile).mtimeMs > LOCK_OLD_MS;
  } catch {
    return false; // already removed
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
