// The test kit as its users import it: from the built package.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXCHANGER_ADDRESS } from "../daemon/protocol/constants.ts";
import type { Sandbox, startSandbox as StartSandbox, TestAccount } from "../testing/testing.ts";
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

describe("snapshots", () => {
  const RECEIVER = "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg";
  const VAULT = `export default async (request) => {
    const text = await request.text();
    if (request.method === "PUT") { Kv.set(text, (Kv.get(text) ?? 0) + 1); return new Response(); }
    const body = JSON.stringify({ amount: Number(text), receiver: "${RECEIVER}" });
    return fetch("jstz://jstz/withdraw", { method: "POST", body });
  };`;

  async function layer1(path: string): Promise<unknown> {
    return (await fetch(`${sandbox.endpoints.layer1}/chains/main/blocks/head/context/${path}`)).json();
  }
  const layer1Balance = async (address: string) =>
    BigInt((await layer1(`contracts/${address}/balance`)) as string);
  async function bake(blocks: number): Promise<void> {
    const body = JSON.stringify({ blocks });
    const authorization = `Bearer ${sandbox.adminSecret}`;
    const headers = { "content-type": "application/json", authorization };
    await fetch(`${sandbox.endpoints.sandboxd}/layer1/bake`, { method: "POST", body, headers });
  }

  it("restore both layers after any operations, exact to the mutez", async () => {
    const start = await sandbox.snapshot();
    const locked = await layer1Balance(EXCHANGER_ADDRESS);
    const alice = await sandbox.createAccount({ tez: "100" });
    const vault = await sandbox.deploy(VAULT, { from: alice, tez: "10" });
    const others: TestAccount[] = [await sandbox.createAccount(), await sandbox.createAccount({ tez: "3" })];
    const all = [alice, vault, ...others];
    const snapshot = await sandbox.snapshot();
    const state = async () => ({
      balances: await Promise.all(all.map((account) => account.balance())),
      values: await Promise.all(["a", "b", "c"].map((key) => vault.kv(key))),
      locked: await layer1Balance(EXCHANGER_ADDRESS),
      received: await layer1Balance(RECEIVER),
      bootstrap: await layer1("contracts/tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV"),
      nonce: await (await fetch(`${sandbox.endpoints.runtime}/accounts/${alice.address}/nonce`)).text(),
    });
    const before = await state();
    const sum = before.balances.reduce((total, balance) => total + balance, 0n);
    expect(sum).toBe(before.locked - locked);

    const operation = fc.oneof(
      fc.record({ kind: fc.constant("deposit" as const), to: fc.nat(3), n: fc.integer({ min: 1, max: 9 }) }),
      fc.record({ kind: fc.constant("set" as const), to: fc.nat(2), n: fc.nat(3) }),
      fc.record({ kind: fc.constant("withdraw" as const), to: fc.constant(0), n: fc.nat(5_000_000) }),
      fc.record({ kind: fc.constant("deploy" as const), to: fc.constant(0), n: fc.nat(9) }),
      fc.record({
        kind: fc.constant("bake" as const),
        to: fc.constant(0),
        n: fc.integer({ min: 1, max: 30 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 6 }), async (operations) => {
        for (const { kind, to, n } of operations) {
          if (kind === "deposit") await sandbox.deposit(all[to]!, String(n));
          else if (kind === "bake") await bake(n);
          else if (kind === "deploy") await sandbox.deploy(`${VAULT}//${n}`, { from: alice, tez: "0.5" });
          else if (kind === "set")
            await vault.call("/", { from: alice, method: "PUT", body: "abc"[to]!, tez: String(n + 1) });
          else await vault.call("/", { from: alice, method: "POST", body: String(n) });
        }
        await sandbox.restore(snapshot);
        expect(await state()).toEqual(before);
      }),
      { numRuns: 12 },
    );

    // Nothing that was undone reappears later, and everything still works.
    await bake(40);
    expect(await state()).toEqual(before);
    await sandbox.deposit(others[0]!, "2");
    expect(await others[0]!.balance()).toBe(2_000_000n);
    expect((await vault.call("/", { from: alice, method: "POST", body: "4000000" })).status).toBe(200);
    await bake(40);
    await expect.poll(() => layer1Balance(RECEIVER)).toBe(before.received + 4_000_000n);
    expect(await layer1Balance(EXCHANGER_ADDRESS)).toBe(before.locked - 2_000_000n);

    // Also to an older one, and back.
    await sandbox.restore(start);
    expect(await alice.balance()).toBe(0n);
    await sandbox.restore(snapshot);
    expect(await state()).toEqual(before);
  }, 60_000);

  it("wait for deposits in flight, and reject an unknown one", async () => {
    const bob = await sandbox.createAccount();
    const deposit = sandbox.deposit(bob, "5");
    const snapshot = await sandbox.snapshot();
    await deposit;
    await sandbox.deposit(bob, "1");
    await sandbox.restore(snapshot);
    expect(await bob.balance()).toBe(5_000_000n);
    await expect(sandbox.restore({ id: "never" })).rejects.toMatchObject({ code: "SNAPSHOT_UNKNOWN" });
  });
});
