import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SandboxError } from "../../daemon/protocol/errors.ts";
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
  await expect(start(join(folder, "sandboxd.cjs"))).rejects.toMatchObject({ code: "INSTALLATION_DAMAGED" });
});

it("passes on the daemon's own error, with its data", async () => {
  const script = join(folder, "fails.mjs");
  const known = new SandboxError("PORT_IN_USE", { host: "h", port: 1, for: "sandboxd", key: "server_port" });
  const text = JSON.stringify(JSON.stringify(known.toBody()));
  writeFileSync(script, `console.error("something"); console.log(${text}); process.exitCode = 1;`);
  const error: unknown = await start(script).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DaemonStartError);
  const { code, data, message, next } = known;
  expect(error).toMatchObject({ code, data, message: `${message} ${next}` });
});

it("reports how it ended when it printed no error", async () => {
  const script = join(folder, "killed.mjs");
  writeFileSync(script, 'process.kill(process.pid, "SIGKILL");');
  const error = (await start(script).catch((reason: unknown) => reason)) as DaemonStartError;
  expect([error.code, error.end.signal]).toEqual([undefined, "SIGKILL"]);
});
