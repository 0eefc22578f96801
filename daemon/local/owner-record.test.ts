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

it("tells of a daemon while its process lives, and is gone after it was removed", () => {
  expect(writeOwnerRecord(5, record(), env)).toBeUndefined();
  expect(readOwnerRecord(5, env)).toEqual(record());
  expect(liveOwnerRecords(env)).toEqual([record()]);
  removeOwnerRecord(5, process.pid + 1, env);
  expect(readOwnerRecord(5, env)).toEqual(record());
  removeOwnerRecord(5, process.pid, env);
  expect(liveOwnerRecords(env)).toEqual([]);
});

it("is stale when the process is dead", () => {
  writeOwnerRecord(5, record({ pid: 999_999_999 }), env);
  expect(readOwnerRecord(5, env)).toBeUndefined();
});

// On a system that does not tell when a process started, the pid alone must do.
const started = processStart(process.pid);
it.runIf(started !== undefined)("is stale when its pid belongs to another process now", () => {
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
