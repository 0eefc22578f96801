import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ownerHeaders } from "../protocol/admin-secret.ts";
import { findAdminSecret, forgetAdminSecret, keepAdminSecret } from "./kept-secrets.ts";
import { writeOwnerRecord } from "./owner-record.ts";

let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-secret-"));
  env = { XDG_CONFIG_HOME: folder };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const record = (adminSecret: string) => ({
  pid: process.pid,
  startedAt: "2026-01-01T00:00:00.000Z",
  version: "1",
  endpoint: "http://127.0.0.1:5",
  life: "detached" as const,
  adminSecret,
});

it("is found in the record of this user's daemon, by any loopback name", () => {
  writeOwnerRecord(5, record("of-the-record"), env);
  for (const host of ["127.0.0.1", "localhost", "[::1]"])
    expect(findAdminSecret(`http://${host}:5`, env)).toEqual({ text: "of-the-record", isDirect: true });
  expect(findAdminSecret("http://127.0.0.1:6", env)).toBeUndefined();
  expect(findAdminSecret("http://192.0.2.1:5", env)).toBeUndefined();
});

it("is the record's only for the endpoint that the record names", () => {
  writeOwnerRecord(5, { ...record("of-the-record"), endpoint: "http://192.0.2.1:5" }, env);
  expect(findAdminSecret("http://127.0.0.1:5", env)).toBeUndefined();
  expect(findAdminSecret("http://192.0.2.1:5", env)?.text).toBe("of-the-record");
});

it("is stored for a container, for this user only, until it is deleted", () => {
  const endpoint = "http://192.0.2.1:7/";
  expect(keepAdminSecret(endpoint, "of-a-container", env)).toBeUndefined();
  expect(findAdminSecret("http://192.0.2.1:7", env)).toEqual({ text: "of-a-container", isDirect: false });
  // The same port on another machine is another sandbox.
  expect(findAdminSecret("http://127.0.0.1:7", env)).toBeUndefined();
  const file = join(folder, "functez", "run", "container-7.json");
  if (process.platform !== "win32") {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    keepAdminSecret(endpoint, "of-the-next", env);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(findAdminSecret(endpoint, env)).toEqual({ text: "of-the-next", isDirect: false });
  }
  writeFileSync(file, "{");
  expect(findAdminSecret(endpoint, env)).toBeUndefined();
  forgetAdminSecret(endpoint, env);
  forgetAdminSecret(endpoint, env);
});

it("comes from the environment first, and is sent in one header", () => {
  writeOwnerRecord(5, record("of-the-record"), env);
  const given = { ...env, FUNCTEZ_ADMIN_SECRET: "given" };
  expect(findAdminSecret("http://127.0.0.1:5", given)).toEqual({ text: "given", isDirect: true });
  expect(findAdminSecret("http://192.0.2.1:5", given)).toEqual({ text: "given", isDirect: false });
  expect(ownerHeaders("given")).toEqual({ authorization: "Bearer given" });
  expect(ownerHeaders(undefined)).toEqual({});
});
