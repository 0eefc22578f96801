// A sandbox that stays after the tests, so that their operations can be looked into: a process of its own instead of
// the test's, with `FUNCTEZ_KEEP=1`. It lives until it is stopped.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readyOf } from "../daemon/client/start-line.ts";
import { ADMIN_SECRET_VARIABLE } from "../daemon/protocol/admin-secret.ts";
import { SandboxError } from "../daemon/protocol/errors.ts";
import type { Sandbox } from "../types/testing.d.cts";

export const KEEP_VARIABLE = "FUNCTEZ_KEEP";

/** Whether sandboxes are to stay after the tests. */
export const isKeeping = (env: NodeJS.ProcessEnv): boolean =>
  !["", "0", undefined].includes(env[KEEP_VARIABLE]);

/** Longest start, on a busy machine. */
const START_MS = 60_000;
/** Output kept of a start that fails. */
const MAX_OUTPUT = 4_000;

/**
 * Starts a sandbox on free ports and waits until it is ready.
 * @param config keys of the configuration file @throws SandboxError that of the daemon, or SANDBOX_START_FAILED
 */
export async function startKept(
  distFolder: string,
  config: object,
  adminSecret: string,
  env: NodeJS.ProcessEnv,
): Promise<Sandbox["endpoints"]> {
  const folder = mkdtempSync(join(tmpdir(), "functez-kept-"));
  const file = join(folder, "sandbox.json");
  writeFileSync(file, JSON.stringify(config));
  const child = spawn(
    process.execPath,
    [join(distFolder, "sandboxd.cjs"), "run", file, "--free-ports", "--json"],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...env, [ADMIN_SECRET_VARIABLE]: adminSecret, ELECTRON_RUN_AS_NODE: "1" },
      detached: true,
      windowsHide: true,
    },
  );
  let output = "";
  child.stderr.on("data", (bytes: Buffer) => (output = (output + bytes.toString()).slice(-MAX_OUTPUT)));
  let timer: NodeJS.Timeout | undefined;
  try {
    const line = await new Promise<string>((resolve, reject) => {
      const fail = (how: string): void =>
        reject(new SandboxError("SANDBOX_START_FAILED", { reason: `${how}\n${output}`.trimEnd() }));
      timer = setTimeout(() => fail(`it was not ready after ${START_MS / 1000} s`), START_MS);
      createInterface({ input: child.stdout }).once("line", resolve);
      child.once("error", (error) => fail(error.message));
      child.once("exit", (code, signal) => fail(signal ? `ended by ${signal}` : `exit code ${code}`));
    });
    const { sandboxd, layer1, runtime } = readyOf(line);
    return { sandboxd, layer1, runtime };
  } catch (error) {
    child.kill();
    throw error;
  } finally {
    clearTimeout(timer);
    rmSync(folder, { recursive: true, force: true }); // it has read its configuration
    // The test's process may end before it, and its pipes with it.
    child.stdout.destroy();
    child.stderr.destroy();
    child.removeAllListeners("exit");
    child.unref();
  }
}
