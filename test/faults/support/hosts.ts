// Starts extension hosts without an editor (extension-host.ts) and reports what they leave behind.
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { type BuiltCli, DIST, ROOT } from "../../support/built-cli.ts";
import { until } from "../../support/processes.ts";

/** Marks every descendant of a test's host, even when its parents have exited. */
const MARK = "FUNCTEZ_TEST_HOST";

export interface Host {
  readonly child: ChildProcess;
  /** The session's state, as last reported. */
  readonly state: () => { readonly kind: string; readonly sandbox?: { readonly pid: number } };
  /** Runs a command of the extension. Never settles when the host is killed; rejects when it exits by itself. */
  command<T>(id: string, ...args: unknown[]): Promise<T>;
  running(): Promise<{ readonly pid: number }>;
  readonly ended: Promise<void>;
}

/**
 * Bundles the host once. @returns a function that starts one with the settings (full keys) and the environment of `cli`
 */
export async function hostStarter(cli: BuiltCli, settings: object) {
  const program = join(cli.configHome, "extension-host.mjs");
  await build({
    entryPoints: [join(ROOT, "test/faults/support/extension-host.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: program,
    logLevel: "error",
  });
  const mark = `${MARK}=${cli.configHome}`;
  const env = {
    ...cli.env,
    [MARK]: cli.configHome,
    FUNCTEZ_DIST: DIST,
    FUNCTEZ_HOST_SETTINGS: JSON.stringify(settings),
    FUNCTEZ_HOST_STORAGE: join(cli.configHome, "storage"),
  };
  const start = (): Host => {
    const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    return hostOf(child);
  };
  return { start, left: () => processesWith(mark) };
}

function hostOf(child: ChildProcess): Host {
  let state: ReturnType<Host["state"]> = { kind: "stopped" };
  let count = 0;
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  child.on("message", (message) => {
    const report = message as { state?: typeof state; id?: number; result?: unknown; failure?: string };
    if (report.state) state = report.state;
    const asked = report.id === undefined ? undefined : waiting.get(report.id);
    if (report.failure === undefined) asked?.resolve(report.result);
    else asked?.reject(new Error(report.failure));
    if (report.id !== undefined) waiting.delete(report.id);
  });
  child.on("error", () => undefined); // a message to a killed host
  return {
    child,
    state: () => state,
    command<T>(command: string, ...args: unknown[]) {
      const id = ++count;
      return new Promise<T>((resolve, reject) => {
        waiting.set(id, { resolve: (value) => resolve(value as T), reject });
        child.send({ id, command, args }, () => undefined);
      });
    },
    async running() {
      await until("the host has a running sandbox", 30_000, () => state.sandbox !== undefined).catch(
        (error: Error) => {
          throw new Error(`${error.message}: ${JSON.stringify(state)}`);
        },
      );
      return state.sandbox!;
    },
    ended: new Promise((resolve) =>
      child.once("close", (code, signal) => {
        if (signal === null)
          for (const { reject } of waiting.values()) reject(new Error(`the host ended with ${code}`));
        resolve();
      }),
    ),
  };
}

/** Processes, except zombies, whose environment has the entry. */
function processesWith(entry: string): { readonly pid: number; readonly command: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(entry)) return [];
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        return [{ pid: Number(name), command }];
      } catch {
        return []; // it has ended in the meantime
      }
    });
}
