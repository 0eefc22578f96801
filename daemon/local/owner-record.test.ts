import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  liveOwnerRecords,
  type OwnerRecord,
  processStart,
  readOwnerRecord,
  removeOwnerRecord,
  writeOwnerRecord,
} from "./owner-record.ts";

let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-owner-"));
  env = { XDG_CONFIG_HOME: folder };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const record = (over: Partial<OwnerRecord> = {}): OwnerRecord => ({
  pid: process.pid,
  startedAt: "2026-01-01T00:00:00.000Z",
  version: "1",
  endpoint: "http://127.0.0.1:5",
  life: "detached",
  adminSecret: "0123456789abcdef",
  ...over,
});

it("describes a daemon while its process lives, and is gone once removed", () => {
  expect(writeOwnerRecord(5, record(), env)).toBeUndefined();
  expect(readOwnerRecord(5, env)).toEqual(record());
  expect(liveOwnerRecords(env)).toEqual([record()]);
  removeOwnerRecord(5, process.pid + 1, env);
  expect(readOwnerRecord(5, env)).toEqual(record());
  removeOwnerRecord(5, process.pid, env);
  expect(liveOwnerRecords(env)).toEqual([]);
});

it("is never missing while it is rewritten", async () => {
  writeOwnerRecord(5, record(), env);
  const path = JSON.stringify(join(folder, "functez/run/sandboxd-5.json"));
  const reader = spawn(
    process.execPath,
    [
      "-e",
      `const { readFileSync } = require("node:fs");
       process.stdout.write("begun");
       for (const end = performance.now() + 400; performance.now() < end; ) JSON.parse(readFileSync(${path}, "utf8"));`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = once(reader, "exit");
  await once(reader.stdout, "data");
  while (reader.exitCode === null) {
    for (let i = 0; i < 50; i++) writeOwnerRecord(5, record(), env);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await ended).toEqual([0, null]);
});

it("is read with all fields that were written", () => {
  const whole: Required<OwnerRecord> = {
    ...record(),
    processStart: processStart(process.pid) ?? "0",
    configFile: "/tmp/config.json",
    layer1Endpoint: "http://127.0.0.1:6",
    runtimeEndpoint: "http://127.0.0.1:7",
    isPrivate: true,
  };
  writeOwnerRecord(5, whole, env);
  expect(readOwnerRecord(5, env)).toEqual(whole);
});

it.each([
  ["half of it", '{"pid": 1'],
  ["no object", "[]"],
  ["no secret", JSON.stringify({ ...record(), adminSecret: undefined })],
  ["an unknown life", JSON.stringify({ ...record(), life: "eternal" })],
  ["a pid that is a text", JSON.stringify({ ...record(), pid: "1" })],
])("is absent when the file has %s", (_what, text) => {
  writeOwnerRecord(5, record(), env);
  writeFileSync(join(folder, "functez/run/sandboxd-5.json"), text);
  expect(liveOwnerRecords(env)).toEqual([]);
});

it("is stale when the process is dead", () => {
  writeOwnerRecord(5, record({ pid: 999_999_999 }), env);
  expect(readOwnerRecord(5, env)).toBeUndefined();
});

// Where the system does not report start times, the pid alone must do.
const started = processStart(process.pid);
it.runIf(started !== undefined)("is stale when its pid now belongs to another process", () => {
  writeOwnerRecord(5, record({ processStart: "1" }), env);
  expect(readOwnerRecord(5, env)).toBeUndefined();
  writeOwnerRecord(5, record({ processStart: started! }), env);
  expect(readOwnerRecord(5, env)).toBeDefined();
});

it("ignores half-written records and reports a folder that cannot be written", () => {
  writeOwnerRecord(5, record(), env);
  writeFileSync(join(folder, "functez/run/sandboxd-5.json"), "{");
  expect(readOwnerRecord(5, env)).toBeUndefined();
  writeFileSync(join(folder, "file"), "");
  expect(writeOwnerRecord(5, record(), { XDG_CONFIG_HOME: join(folder, "file") })).toBeInstanceOf(Error);
});
