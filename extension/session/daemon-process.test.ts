import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DaemonStartError, startDaemon } from "./daemon-process.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-daemon-process-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(script: string): Promise<unknown> {
  return startDaemon({ script, configFile: "none.json", graceSeconds: 2, onLog: () => undefined });
}

it("distinguishes a missing program from one that fails", async () => {
  await expect(start(join(folder, "sandboxd.mjs"))).rejects.toMatchObject({ code: "INSTALLATION_DAMAGED" });
});

it("uses code and text of the daemon's own error", async () => {
  const script = join(folder, "fails.mjs");
  writeFileSync(script, 'console.error("ERROR PORT_IN_USE: Port 1 is in use. Stop it."); process.exit(1);');
  const error: unknown = await start(script).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DaemonStartError);
  expect(error).toMatchObject({ code: "PORT_IN_USE", message: "Port 1 is in use. Stop it." });
});

it("reports how it ended when it printed no error", async () => {
  const script = join(folder, "killed.mjs");
  writeFileSync(script, 'process.kill(process.pid, "SIGKILL");');
  const error = (await start(script).catch((reason: unknown) => reason)) as DaemonStartError;
  expect([error.code, error.end.signal]).toEqual([undefined, "SIGKILL"]);
});
