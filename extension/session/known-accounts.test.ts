import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Cli } from "./cli.ts";
import { createKnownAccounts, type KnownAccount } from "./known-accounts.ts";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "functez-known-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function memoryOf(stored = new Map<string, unknown>()) {
  return {
    get: <T>(key: string, byDefault: T) => (stored.get(key) as T | undefined) ?? byDefault,
    update: async (key: string, value: unknown) => void stored.set(key, value),
  };
}

it("remembers the alias of an address after a redeploy, also in the next window", async () => {
  let accounts: KnownAccount[] = [];
  const cli = { run: async () => ({ current: null, accounts }) } as unknown as Cli;
  const memory = memoryOf();
  const open = () => createKnownAccounts(cli, { XDG_CONFIG_HOME: folder }, memory);
  const known = open();
  for (const address of ["KT1first", "KT1second"]) {
    accounts = [{ alias: "counter", kind: "smart-function", address }];
    await known.refresh();
  }
  expect([known.formerAlias("KT1first"), known.formerAlias("KT1other")]).toEqual(["counter", undefined]);
  accounts = Array.from({ length: 499 }, (_, i) => ({ alias: `a${i}`, kind: "user", address: `tz1${i}` }));
  await known.refresh();
  known.dispose();
  const next = open();
  expect(["KT1first", "KT1second", "tz1498"].map((address) => next.formerAlias(address))).toEqual([
    undefined,
    "counter",
    "a498",
  ]);
  next.dispose();
});
