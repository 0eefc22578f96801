import { describe, expect, it } from "vitest";
import { silentLog } from "../parts/log.ts";
import { ownerHeaders } from "../protocol/admin-secret.ts";
import { BOOTSTRAP_ACCOUNTS } from "../protocol/constants.ts";
import { depositReceiptHash } from "../protocol/runtime-operation.ts";
import { toHex } from "../tezos/hex.ts";
import { mutez } from "../tezos/mutez.ts";
import { tezDepositMessage } from "./inbox/test-deposit.ts";
import { MAX_PENDING_DEPOSITS, RuntimeCore } from "./runtime-core.ts";
import { createRuntimeSnapshots } from "./snapshots.ts";
import { CommittedStore } from "./store/committed-store.ts";
import { runContent, Signer, TEST_HISTORY, TEST_SECRET } from "./test-node.ts";
import { COUNTER, shareNode } from "./test-shared-node.ts";

const shared = shareNode();
const { rollup } = shared;

const get = async (path: string): Promise<unknown> => (await fetch(shared.node.endpoint + path)).json();
async function admin(action: string, body: object = {}, headers: Record<string, string> = {}) {
  const response = await fetch(`${shared.node.endpoint}/admin/${action}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...ownerHeaders(TEST_SECRET), ...headers },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
async function take(id: string, level: number): Promise<void> {
  expect((await admin("hold")).status).toBe(200);
  expect((await admin("snapshot", { id, level })).body).toEqual({ taken: true });
}
async function restore(id: string, level: number): Promise<void> {
  expect((await admin("hold", { id })).status).toBe(200);
  expect((await admin("restore", { id, level })).status).toBe(200);
}
const depositReceipt = (level: number) =>
  shared.node.client.waitForReceipt(toHex(depositReceiptHash(level, 2)), { timeoutMs: 5_000 });

describe("a snapshot of the runtime", () => {
  it("restores accounts, functions, values and nonces, and drops later changes", async () => {
    const alice = new Signer(shared.node.client);
    const level = rollup.bake(tezDepositMessage(alice.address, 5_000_000n));
    await depositReceipt(level);
    const counter = await alice.deploy(COUNTER, 1_000_000n);
    await alice.run(`jstz://${counter}/`);
    await take("first", level);
    const { nonce } = alice;
    const trail = await get(`/logs/${counter}/persistent/requests`);

    for (let round = 0; round < 3; round++) {
      const { signed, hash } = alice.sign(runContent(`jstz://${counter}/`));
      await shared.node.client.inject(signed);
      const { result } = await shared.node.client.waitForReceipt(hash);
      expect(result._type).toBe("Success"); // the very same operation each time: its nonce is free again
      expect(await shared.node.client.kv(counter, "count")).toBe(2);
      const other = await alice.deploy(`${COUNTER}//other`, 500_000n);
      await alice.run(`jstz://${counter}/`, { method: "DELETE" });
      expect(await shared.node.client.kv(counter, "count")).toBeUndefined();

      await restore("first", rollup.bake());
      expect(await shared.node.client.kv(counter, "count")).toBe(1);
      expect(await shared.node.client.balance(alice.address)).toBe(4_000_000n);
      expect(await shared.node.client.balance(counter)).toBe(1_000_000n);
      expect(await shared.node.client.nonce(alice.address)).toBe(nonce);
      expect(await shared.node.client.account(other)).toBeUndefined();
      expect(await shared.node.client.code(counter)).toBe(COUNTER);
      expect(await shared.node.client.receipt(hash)).toBeUndefined();
      expect(await shared.node.client.trace(hash)).toBeUndefined();
      expect(await get(`/logs/${counter}/persistent/requests`)).toEqual(trail);
      alice.nonce = nonce;
    }
    await depositReceipt(level); // what came before it is still known
    expect((await alice.run(`jstz://${counter}/`)).body).toBe("2");
  });

  it("undoes the deposits up to the restoring block, and no later ones", async () => {
    const bob = new Signer(shared.node.client);
    await take("empty", rollup.bake());
    const before = rollup.bake(tezDepositMessage(bob.address, 1n));
    await depositReceipt(before);
    expect((await admin("hold", { id: "empty" })).status).toBe(200);
    // During the hold: one deposit that layer 1 undoes, and a later one.
    const undone = rollup.bake(tezDepositMessage(bob.address, 20n));
    const level = rollup.bake();
    const kept = rollup.bake(tezDepositMessage(bob.address, 300n));
    await expect.poll(async () => (await shared.node.part.health()).detail).toContain(`level ${kept}`);
    await admin("restore", { id: "empty", level });
    await depositReceipt(kept);
    expect(await shared.node.client.balance(bob.address)).toBe(300n);
    expect(await shared.node.client.receipt(toHex(depositReceiptHash(undone, 2)))).toBeUndefined();
    expect(await shared.node.client.receipt(toHex(depositReceiptHash(before, 2)))).toBeUndefined();
  });

  it("undoes deposits of these levels even when they arrive later", async () => {
    const erin = new Signer(shared.node.client);
    const now = rollup.bake();
    await take("empty", now);
    await restore("empty", now + 1);
    rollup.bake(tezDepositMessage(erin.address, 20n));
    await depositReceipt(rollup.bake(tezDepositMessage(erin.address, 300n)));
    expect(await shared.node.client.balance(erin.address)).toBe(300n);
  });

  it("is not taken while a deposit of its level is waiting, which is then credited", async () => {
    const carol = new Signer(shared.node.client);
    expect((await admin("hold")).status).toBe(200);
    const level = rollup.bake(tezDepositMessage(carol.address, 7n));
    expect((await admin("snapshot", { id: "late", level })).body).toEqual({ taken: false });
    await depositReceipt(level);
    expect((await admin("hold", { id: "late" })).body).toMatchObject({ error: { code: "SNAPSHOT_UNKNOWN" } });
  });

  it("lets operations wait during a hold and executes them after it", async () => {
    const dave = new Signer(shared.node.client);
    expect((await admin("hold")).status).toBe(200);
    const { signed, hash } = dave.sign(runContent("jstz://KT1JCyTGHR7c4Xz2KY3pPERMXqBZ48Yq8gUr/"));
    await shared.node.client.inject(signed);
    expect((await admin("hold")).body).toMatchObject({ error: { code: "SANDBOX_BUSY" } });
    const receipt = shared.node.client.waitForReceipt(hash);
    expect(await shared.node.client.nonce(dave.address)).toBe(0n);
    await admin("release");
    expect((await receipt).hash).toHaveLength(32);
    expect(await shared.node.client.nonce(dave.address)).toBe(1n);
  });

  it("needs a hold, a known id and a level", async () => {
    const code = async (action: string, body: object) => (await admin(action, body)).body;
    expect(await code("restore", { id: "first", level: 1 })).toMatchObject({
      error: { code: "SANDBOX_BUSY" },
    });
    expect(await code("snapshot", { id: "x" })).toMatchObject({ error: { code: "BAD_REQUEST" } });
    expect(await code("hold", { id: "never" })).toMatchObject({ error: { code: "SNAPSHOT_UNKNOWN" } });
    expect(await code("hold", { id: "?" })).toMatchObject({ error: { code: "BAD_REQUEST" } });
  });

  it.each(["hold", "snapshot", "restore", "release", "anything"])(
    "is closed to strangers at %s",
    async (action) => {
      for (const authorization of ["", "Bearer another-secret-of-somebody"]) {
        const { status, body } = await admin(action, {}, { authorization });
        expect([status, body]).toMatchObject([403, { error: { code: "OWNER_ONLY" } }]);
      }
    },
  );

  it.each(["/admin/hold", "/%61dmin/hold"])("is closed to web pages at %s", async (path) => {
    const url = shared.node.endpoint + path;
    const foreign = await fetch(url, {
      method: "POST",
      body: "{}",
      headers: { origin: "http://evil.example" },
    });
    expect([foreign.status, foreign.headers.get("access-control-allow-origin")]).toEqual([403, null]);
    const preflight = await fetch(url, { method: "OPTIONS" });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  });
});

const DEPOSIT = {
  kind: "tez",
  receiver: BOOTSTRAP_ACCOUNTS[1].address,
  amount: mutez(1n),
  source: BOOTSTRAP_ACCOUNTS[1].address,
} as const;

describe("a hold", () => {
  function holdWith(queued: number, times: { patienceMs: number; holdMs: number }) {
    const link = { queued, failure: undefined, submit: () => undefined, amend: () => undefined };
    const core = new RuntimeCore({
      store: new CommittedStore(TEST_HISTORY),
      log: silentLog,
      queueCapacity: 10,
      maxCharacters: 1_000_000,
      link: () => Object.assign(link, { answerOracle: () => undefined }),
      askOutside: () => Promise.reject(new Error("nobody asks")),
      sendToLayer1: () => undefined,
      oracleAddress: undefined,
    });
    const snapshots = createRuntimeSnapshots({
      core,
      outboxSettled: () => Promise.resolve(),
      reached: (level, signal) =>
        level <= 5
          ? Promise.resolve()
          : new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
      level: () => 5,
      log: silentLog,
      ...times,
    });
    return { core, snapshots, link };
  }

  it("is given up when running operations do not finish", async () => {
    const { core, snapshots } = holdWith(1, { patienceMs: 10, holdMs: 60_000 });
    await expect(snapshots.hold(undefined)).rejects.toMatchObject({ code: "SANDBOX_BUSY" });
    expect(core.isHeld).toBe(false);
  });

  it("allows taking or restoring only at rest, and only in the caller's own hold", async () => {
    const { core, snapshots, link } = holdWith(0, { patienceMs: 60_000, holdMs: 60_000 });
    await snapshots.hold(undefined);
    expect(await snapshots.take("one", 5)).toBe(true);
    link.queued = 1;
    const holding = snapshots.hold(undefined);
    await expect(snapshots.take("two", 5)).rejects.toMatchObject({ code: "SANDBOX_BUSY" });
    await expect(snapshots.restore("one", 5)).rejects.toMatchObject({ code: "SANDBOX_BUSY" });
    expect(() => core.restore(core.store.snapshot(), 5)).toThrow(
      expect.objectContaining({ code: "SANDBOX_BUSY" }) as Error,
    );
    // Released while it was still waiting, then started again by another caller.
    snapshots.release();
    link.queued = 0;
    await snapshots.hold(undefined);
    expect(core.isHeld).toBe(true);
    link.queued = 1;
    await expect(snapshots.take("two", 5)).rejects.toMatchObject({ code: "SANDBOX_BUSY" });
    link.queued = 0;
    await snapshots.restore("one", 5);
    void holding.catch(() => undefined);
  });

  it("follows layer 1, which has gone back already, although its levels do not arrive, and undoes their deposits", async () => {
    const { core, snapshots } = holdWith(0, { patienceMs: 20, holdMs: 60_000 });
    await snapshots.hold(undefined);
    await snapshots.take("one", 5);
    await snapshots.hold("one");
    await snapshots.restore("one", 8);
    expect(core.isHeld).toBe(false);
    for (const level of [6, 8, 9]) core.deposit(DEPOSIT, { level, index: 0 });
    const isTaken = (level: number): boolean => core.isPending(toHex(depositReceiptHash(level, 0)));
    expect([6, 8, 9].map(isTaken)).toEqual([false, false, true]);
  });

  it("is refused while so many deposits wait that layer 1 is not read, before layer 1 goes back", async () => {
    const { core, snapshots } = holdWith(0, { patienceMs: 60_000, holdMs: 60_000 });
    const holding = snapshots.hold(undefined);
    for (let index = 0; index < MAX_PENDING_DEPOSITS; index++) core.deposit(DEPOSIT, { level: 6, index });
    await expect(holding).rejects.toMatchObject({ code: "SANDBOX_BUSY" });
    expect(core.isHeld).toBe(false);
  });

  it("is not restored by a level far from those that layer 1 has reached", async () => {
    const { snapshots } = holdWith(0, { patienceMs: 20, holdMs: 60_000 });
    await snapshots.hold(undefined);
    await snapshots.take("one", 5);
    for (const level of [Number.MAX_SAFE_INTEGER, 2_000]) {
      await snapshots.hold("one");
      await expect(snapshots.restore("one", level)).rejects.toMatchObject({ code: "BAD_REQUEST" });
      snapshots.release();
    }
    await snapshots.hold("one");
    await snapshots.restore("one", 6);
  });

  it("expires when it is never released", async () => {
    const { core, snapshots } = holdWith(0, { patienceMs: 1000, holdMs: 10 });
    await snapshots.hold(undefined);
    expect(core.isHeld).toBe(true);
    await expect.poll(() => core.isHeld).toBe(false);
  });
});
