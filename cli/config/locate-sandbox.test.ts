import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { keepAdminSecret } from "../../daemon/local/kept-secrets.ts";
import { writeOwnerRecord } from "../../daemon/local/owner-record.ts";
import { knownFrom, locateSandbox, startEndpoint } from "./locate-sandbox.ts";

const USUAL = "http://127.0.0.1:54321";
let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-locate-"));
  env = { XDG_CONFIG_HOME: folder };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function record(port: number, startedAt: string, over: object = {}): string {
  const endpoint = `http://127.0.0.1:${port}`;
  const common = {
    pid: process.pid,
    version: "1",
    endpoint,
    life: "detached" as const,
    adminSecret: "secret",
  };
  writeOwnerRecord(port, { ...common, startedAt, ...over }, env);
  return endpoint;
}

it("is whatever listens on the usual port when there is no record", () => {
  expect(locateSandbox(env)).toEqual({ endpoint: USUAL, by: "port", others: [] });
  expect(knownFrom(USUAL, env)).toBeUndefined();
});

it("is the one named in the environment, with priority", () => {
  record(54321, "2026-01-01");
  env["FUNCTEZ_SANDBOX_URL"] = "http://10.0.0.1:1";
  expect(locateSandbox(env)).toMatchObject({ endpoint: "http://10.0.0.1:1", by: "named" });
  expect(knownFrom("http://10.0.0.1:1/", env)).toBe("named");
});

it("is one of this user's on other ports, the one started last", () => {
  const first = record(5, "2026-01-01");
  const second = record(6, "2026-01-02");
  expect(locateSandbox(env)).toEqual({ endpoint: second, by: "own", others: [first] });
  expect(knownFrom(first, env)).toBe("own");
  // A start without a configuration always concerns the usual ports.
  expect(startEndpoint(env)).toBe(USUAL);
});

it("is this user's on the usual port, whenever it was started", () => {
  const usual = record(54321, "2026-01-01");
  const other = record(6, "2026-01-02");
  expect(locateSandbox(env)).toEqual({ endpoint: usual, by: "own", others: [other] });
});

it("is never a sandbox started for one command or test", () => {
  const own = record(6, "2026-01-02", { isPrivate: true });
  expect(locateSandbox(env)).toMatchObject({ endpoint: USUAL, by: "port" });
  expect(knownFrom(own, env)).toBe("own");
});

it("is one in a container, when there is no process", () => {
  keepAdminSecret("http://127.0.0.1:7", "secret", env);
  expect(locateSandbox(env)).toMatchObject({ endpoint: "http://127.0.0.1:7", by: "own" });
  expect(knownFrom("http://localhost:7", env)).toBe("container");
  const own = record(6, "2026-01-02");
  expect(locateSandbox(env)).toMatchObject({ endpoint: own, others: ["http://127.0.0.1:7"] });
});

it("is not confused by files that are not records", () => {
  mkdirSync(join(folder, "functez", "run"), { recursive: true });
  for (const [name, text] of [
    ["container-8.json", "{"],
    ["container-9.json", '{"endpoint":"not a URL","adminSecret":"x"}'],
    ["container-x.json", "{}"],
    ["sandboxd-9.json", "null"],
  ])
    writeFileSync(join(folder, "functez", "run", name!), text!);
  expect(locateSandbox(env)).toMatchObject({ by: "port" });
});
