// The test kit as its users import it: from the built package.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Sandbox, startSandbox as StartSandbox } from "../testing/testing.ts";
import { DIST, ROOT } from "./support/built-cli.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  const kit = (await import(pathToFileURL(join(DIST, "testing.mjs")).href)) as {
    startSandbox: typeof StartSandbox;
  };
  sandbox = await kit.startSandbox();
});
afterAll(() => sandbox.stop());

it("funds accounts over the bridge, also many at once", async () => {
  const accounts = await Promise.all(["1", "2.5", "0.000001"].map((tez) => sandbox.createAccount({ tez })));
  expect(await Promise.all(accounts.map((account) => account.balance()))).toEqual([
    1_000_000n,
    2_500_000n,
    1n,
  ]);
});

it("deploys files and code, calls with bodies and tez, and shows values", async () => {
  const alice = await sandbox.createAccount({ tez: "10" });
  const counter = await sandbox.deploy(join(ROOT, "examples/counter/index.ts"), { from: alice });
  expect(await (await counter.call("/increment", { from: alice })).json()).toEqual({ count: 1 });
  expect(await counter.kv(`counters/${alice.address}`)).toBe(1);

  const echo = await sandbox.deploy(
    "export default async (request) => Response.json({ got: await request.json(), paid: request.headers.get('x-jstz-amount') });",
    { from: alice, tez: "1" },
  );
  const answer = await echo.call("/", { from: alice, method: "POST", body: { a: 1 }, tez: "2" });
  expect(await answer.json()).toEqual({ got: { a: 1 }, paid: "2000000" });
  expect(await echo.balance()).toBe(3_000_000n);
  expect(await alice.balance()).toBe(7_000_000n);
});

it("rejects a broken function with a code", async () => {
  const alice = await sandbox.createAccount();
  await expect(sandbox.deploy("export default 5;", { from: alice })).rejects.toMatchObject({
    code: "DEPLOY_FAILED",
  });
});
