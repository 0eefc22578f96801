// An operator's program in place of a built-in part: started as a child process in its own process group, watched
// through HTTP, its output in our log, and stopped with the daemon however the daemon ends.
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import type { Log } from "../parts/log.ts";
import type { Part } from "../parts/part.ts";
import { ADMIN_SECRET_VARIABLE } from "../protocol/admin-secret.ts";
import { type Endpoint, endpointUrl } from "../protocol/endpoint.ts";
import { reasonOf, SandboxError } from "../protocol/errors.ts";
import type { PartName } from "../protocol/part-name.ts";
import { probe } from "./probe.ts";
import { startWatcher } from "./watcher.ts";

export interface CommandPartOptions {
  readonly name: PartName;
  readonly needs: readonly PartName[];
  /** Program and arguments with placeholders; never empty. */
  readonly command: readonly string[];
  /** Where the program will serve; port 0 is replaced by a free port before it starts. */
  readonly endpoint: Endpoint;
  /** Further placeholder values, read at the start of the program. */
  readonly placeholders: () => Readonly<Record<string, string>>;
  /** Passed to the program in its environment, so that it can guard its routes. */
  readonly adminSecret: string;
  readonly log: Log;
}

const OUTPUT_LINES_KEPT = 20;

export function createCommandPart(options: CommandPartOptions): Part {
  const { name, log } = options;
  const output: string[] = [];
  let endpoint = options.endpoint;
  let child: ChildProcess | undefined;
  let ended: string | undefined;
  let stopWatcher: (() => void) | undefined;

  function keepOutput(chunk: Buffer): void {
    for (const line of chunk
      .toString("utf8")
      .split("\n")
      .filter((text) => text !== "")) {
      log.info({ part: name }, line);
      output.push(line);
      if (output.length > OUTPUT_LINES_KEPT) output.shift();
    }
  }

  return {
    name,
    needs: options.needs,
    endpoint: () => endpointUrl(endpoint),

    async start(signal) {
      if (endpoint.port === 0) endpoint = { ...endpoint, port: await freePort(endpoint.host) };
      const [program, ...args] = fill(options.command, {
        endpoint: endpointUrl(endpoint),
        host: endpoint.host,
        port: String(endpoint.port),
        ...options.placeholders(),
      });
      signal.throwIfAborted();
      child = spawn(program!, args, {
        stdio: ["ignore", "pipe", "pipe"],
        detached: process.platform !== "win32", // a new process group, so that all its processes can be ended
        windowsHide: true,
        env: { ...process.env, [ADMIN_SECRET_VARIABLE]: options.adminSecret },
      });
      child.stdout?.on("data", keepOutput);
      child.stderr?.on("data", keepOutput);
      child.once("exit", (code, killed) => {
        ended = killed ? `ended by ${killed}` : `exited with code ${code}`;
      });
      await new Promise<void>((resolve, reject) => {
        child?.once("spawn", resolve);
        child?.once("error", (error) =>
          reject(
            new SandboxError(
              "PART_FAILED",
              { part: name, reason: `${program} ${reasonOf(error)}` },
              { cause: error },
            ),
          ),
        );
      });
      stopWatcher = startWatcher(child.pid!);
    },

    async health() {
      if (ended !== undefined) {
        const lines = output.length > 0 ? `; its last output: ${output.join(" | ")}` : "";
        // A program that has exited does not come back: starting parts must not wait for it.
        throw new SandboxError("PART_FAILED", {
          part: name,
          reason: `${options.command[0]} ${ended}${lines}`,
        });
      }
      return probe(name, endpointUrl(endpoint));
    },

    async stop(deadlineMs) {
      const running = child;
      if (running?.pid !== undefined && ended === undefined) {
        const exited = new Promise<void>((resolve) => running.once("exit", () => resolve()));
        endGroup(running.pid, "SIGTERM");
        const force = setTimeout(() => endGroup(running.pid!, "SIGKILL"), Math.max(deadlineMs, 100));
        await exited;
        clearTimeout(force);
        endGroup(running.pid, "SIGKILL"); // processes that the program left behind in its group
      }
      stopWatcher?.();
    },
  };
}

/** Signals a whole process group (on Windows the process; its watcher ends the tree). */
function endGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // ESRCH: already gone, as intended
  }
}

/** Replaces `{name}` in every argument; unknown names stay unchanged. */
function fill(command: readonly string[], values: Readonly<Record<string, string>>): string[] {
  return command.map((argument) =>
    argument.replace(/\{(\w+)\}/g, (whole, key: string) =>
      Object.hasOwn(values, key) ? values[key]! : whole,
    ),
  );
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probeServer = createServer();
    probeServer.once("error", reject);
    probeServer.listen({ host, port: 0 }, () => {
      const address = probeServer.address();
      const port = typeof address === "object" && address ? address.port : 0;
      probeServer.close(() => resolve(port));
    });
  });
}
