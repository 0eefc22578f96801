import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runForeground } from "./sandbox-process.ts";

/** In place of the daemon: connects to the test, which learns of its life, then does what the first line says. */
const STAND_IN = `
const { connect } = require("node:net");
const socket = connect(Number(process.env.FUNCTEZ_TEST_PORT), "127.0.0.1");
socket.write(process.argv.slice(2).join(" ") + "\\n");
socket.on("data", (line) => {
  if (String(line) === "exit") process.exit(3);
  process.kill(process.pid, String(line));
});
`;

let folder: string;
let server: Server;
let starts: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "functez-foreground-"));
  writeFileSync(join(folder, "sandboxd.cjs"), STAND_IN);
  starts = 0;
  server = createServer((socket) => {
    starts++;
    socket.on("error", () => undefined); // the stand-in was killed
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (signal: AbortSignal): Promise<number> => {
  const env = { ...process.env, FUNCTEZ_TEST_PORT: String((server.address() as AddressInfo).port) };
  const options = { distFolder: folder, env, configFile: undefined, logLevel: undefined };
  return runForeground(options, signal);
};
const connection = async (): Promise<Socket> => ((await once(server, "connection")) as [Socket])[0];

it("starts no daemon once it was interrupted", async () => {
  const connected = connection().then(async (socket) => socket.write("exit"));
  connected.catch(() => undefined);
  expect(await run(AbortSignal.abort())).toBe(130);
  expect(starts).toBe(0);
});

it("ends the daemon when it is interrupted, before the daemon handles signals too", async () => {
  const interrupt = new AbortController();
  const code = run(interrupt.signal);
  await connection();
  interrupt.abort();
  expect(await code).toBe(130);
  expect(starts).toBe(1);
});

it("passes on the daemon's exit code, and tells an interrupt of the terminal from another end", async () => {
  for (const [order, outcome] of [
    ["exit", 3],
    ["SIGINT", 130],
  ] as const) {
    const code = run(new AbortController().signal);
    (await connection()).write(order);
    expect(await code).toBe(outcome);
  }
  const killed = run(new AbortController().signal);
  killed.catch(() => undefined);
  (await connection()).write("SIGKILL");
  await expect(killed).rejects.toMatchObject({ code: "SANDBOX_KILLED" });
});
