import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { silentLog } from "../../parts/log.ts";
import { type Part } from "../../parts/part.ts";
import { ownerHeaders } from "../../protocol/admin-secret.ts";
import { BRIDGE_ADDRESS, EXCHANGER_ADDRESS, ROLLUP_ADDRESS } from "../../protocol/constants.ts";
import { toHex } from "../../tezos/hex.ts";
import type { Layer1Options } from "../layer1-node.ts";
import { Operator } from "../rollup/operator.ts";
import { ALICE, BOB, type Draft, type DrivenChain, driveChain } from "../testing/driven-chain.ts";
import { createTestNode } from "../testing/test-node.ts";
import { Producer } from "./producer.ts";
import { createLayer1Snapshots } from "./snapshots.ts";

const SECRET = "a-secret-of-the-owner";
const OWNER = ownerHeaders(SECRET);

const deposit = (amount: string): Draft => ({
  kind: "transaction",
  destination: BRIDGE_ADDRESS,
  amount,
  parameters: { entrypoint: "deposit", value: { string: ALICE.address } },
});
const NEWCOMER = "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg";
const transfer = (amount: string, destination = NEWCOMER): Draft => ({
  kind: "transaction",
  destination,
  amount,
});

function snapshotsOf(driven: DrivenChain) {
  const producer = new Producer(driven.chain, {
    timing: "instant",
    blockTimeMs: 3_600_000,
    onError: (error) => {
      throw error;
    },
  });
  const operator = new Operator(driven.chain, driven.outbox, {
    rollup: ROLLUP_ADDRESS,
    autoExecute: true,
    delayBlocks: 0,
    strict: false,
    log: silentLog,
    onInjected: () => undefined,
  });
  return createLayer1Snapshots(driven.chain, producer, driven.outbox, operator);
}

/** The state without the inbox of the newest block, which snapshots do not cover. */
function stateOf({ chain }: DrivenChain): ReadonlyMap<string, unknown> {
  return new Map([...chain.copyState()].filter(([key]) => key !== "o:inbox"));
}

const step = fc.oneof(
  fc.record({ kind: fc.constant("deposit" as const), amount: fc.integer({ min: 1, max: 9_000_000 }) }),
  fc.record({ kind: fc.constant("transfer" as const), amount: fc.integer({ min: 1, max: 9_000_000 }) }),
  fc.record({ kind: fc.constant("bake" as const), amount: fc.constant(0) }),
  fc.record({ kind: fc.constant("pending" as const), amount: fc.integer({ min: 1, max: 1000 }) }),
);

describe("a snapshot of layer 1", () => {
  it("restores the state whatever happened since, and moves forward", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 6 }),
        fc.array(step, { maxLength: 8 }),
        async (first, second) => {
          const driven = driveChain();
          const { chain } = driven;
          const snapshots = snapshotsOf(driven);
          const act = async ({ kind, amount }: (typeof first)[number]) => {
            if (kind === "bake") chain.bake();
            else if (kind === "deposit") await driven.apply(deposit(String(amount)));
            else if (kind === "transfer") await driven.apply(transfer(String(amount)), BOB);
            else await chain.inject(driven.sign(driven.fill([transfer(String(amount), BOB.address)])));
          };
          for (const one of first) await act(one);
          snapshots.take("s");
          const state = stateOf(driven);
          for (let round = 0; round < 2; round++) {
            for (const one of second) await act(one);
            const { hash, level } = chain.head;
            const pending = chain.pending.length;
            const block = snapshots.restore("s");
            expect(stateOf(driven)).toEqual(state);
            expect(block.level).toBe(level + 1 + (pending > 0 ? 1 : 0));
            if (pending === 0) expect(block.predecessor).toBe(hash);
            expect(block.messages).toEqual([]);
            expect(chain.pending).toEqual([]);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it("leaves the states of older levels unchanged", async () => {
    const driven = driveChain();
    const snapshots = snapshotsOf(driven);
    snapshots.take("s");
    await driven.apply(transfer("5000000"));
    const then = driven.chain.head;
    snapshots.restore("s");
    expect(driven.balance(NEWCOMER)).toBe(0n);
    expect(driven.chain.contextAt(then).account(NEWCOMER)?.balance).toBe(5_000_000n);
    await driven.apply(deposit("1000000")); // the counters are those of the snapshot
    expect(driven.chain.contextAt(driven.chain.head).account(EXCHANGER_ADDRESS)!.balance).toBe(2_000_000n);
  });

  it("is unknown before it is taken", () => {
    const { restore } = snapshotsOf(driveChain());
    expect(() => restore("s")).toThrow(expect.objectContaining({ code: "SNAPSHOT_UNKNOWN" }));
  });
});

describe("withdrawals and snapshots", () => {
  const WITHDRAWAL =
    "000000006407070a0000001600007324983d7c29837e7277473c1c2e467bfb3f77b407070a000000160146d83d8ef8bce4d8c60a96170739c0269384075a0007070707000003060080897a0146d83d8ef8bce4d8c60a96170739c0269384075a00000000046275726e";
  let part: Part;
  afterEach(() => part.stop(1_000));

  async function start(options: Partial<Layer1Options> = {}) {
    part = createTestNode({
      adminSecret: SECRET,
      blockTimeSeconds: 3600,
      commitmentPeriodBlocks: 4,
      challengeWindowBlocks: 4,
      ...options,
    });
    await part.start(new AbortController().signal);
    const request = async (path: string, body?: unknown): Promise<unknown> => {
      const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body), headers: OWNER };
      return (await fetch(part.endpoint() + path, init)).json();
    };
    const branch = (await request("/chains/main/blocks/head/hash")) as string;
    const driven = driveChain();
    const bytes = toHex(driven.sign(driven.fill([deposit("3000000")]), ALICE, branch));
    await request("/injection/operation", bytes);
    const withdraw = async (id: string) => {
      const level = await request("/global/tezos_level");
      return request("/local/outbox", { level, messages: [{ hex: WITHDRAWAL, id }] });
    };
    const balance = (): Promise<unknown> =>
      request(`/chains/main/blocks/head/context/contracts/${NEWCOMER}/balance`);
    return { request, withdraw, balance };
  }

  it("are not executed when they came after the snapshot, and may come again under the same id", async () => {
    const { request, withdraw, balance } = await start();
    await request("/admin/snapshot", { id: "s" });
    await withdraw("w");
    await request("/admin/restore", { id: "s" });
    await request("/admin/bake", { blocks: 20 });
    expect(await request("/local/outbox/pending")).toEqual([]);
    expect(await balance()).toBe("0");
    await withdraw("w");
    await request("/admin/bake", { blocks: 20 });
    await expect.poll(balance).toBe("1000000");
  });

  it("are executed again when they were pending at the snapshot", async () => {
    const { request, withdraw, balance } = await start();
    await withdraw("w");
    await request("/admin/snapshot", { id: "s" });
    for (let round = 0; round < 2; round++) {
      expect(await balance()).toBe("0");
      await request("/admin/bake", { blocks: 20 });
      await expect.poll(balance).toBe("1000000");
      await request("/admin/pause", {}); // otherwise it is executed before the snapshot
      await request("/admin/restore", { id: "s" });
    }
    expect(await balance()).toBe("0");
  });

  it("refuses an invalid id", async () => {
    const { request } = await start();
    expect(await request("/admin/snapshot", {})).toMatchObject({ error: { code: "BAD_REQUEST" } });
    expect(await request("/admin/restore", { id: "../x" })).toMatchObject({ error: { code: "BAD_REQUEST" } });
    expect(await request("/admin/restore", { id: "x" })).toMatchObject({
      error: { code: "SNAPSHOT_UNKNOWN" },
    });
  });
});
