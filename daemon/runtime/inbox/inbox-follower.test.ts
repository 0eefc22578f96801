import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../parts/log.ts";
import { EXCHANGER_ADDRESS, ROLLUP_ADDRESS } from "../../protocol/constants.ts";
import { addressOf } from "../../tezos/address.ts";
import { FakeRollup } from "../test-node.ts";
import { InboxFollower } from "./inbox-follower.ts";
import { faDepositMessage, tezDepositMessage } from "./test-deposit.ts";

const ALICE = "tz1ia78UBMgdmVf8b2vu5y8Rd148p9e2yn2h";

let rollup: FakeRollup;
let follower: InboxFollower;
let port: number;
let seen: string[];
let warnings: object[];

beforeEach(async () => {
  rollup = new FakeRollup();
  await rollup.start();
  ({ port } = rollup);
  seen = [];
  warnings = [];
  follower = new InboxFollower({
    endpoint: () => `http://127.0.0.1:${port}`,
    rollupAddress: ROLLUP_ADDRESS,
    exchangerAddress: EXCHANGER_ADDRESS,
    log: { ...silentLog, warn: (fields: object) => void warnings.push(fields) },
    onDeposit: (deposit, { level, index }) => seen.push(`${level}/${index}: ${deposit.amount}`),
  });
});
afterEach(async () => {
  await follower.stop();
  await rollup.stop();
});

describe("the inbox follower", () => {
  it("reads the existing levels, then each new one, in order", async () => {
    rollup.bake(tezDepositMessage(ALICE, 1n));
    rollup.bake("01ff", tezDepositMessage(ALICE, 2n), tezDepositMessage(ALICE, 3n));
    follower.start();
    await expect.poll(() => follower.level).toBe(2);
    rollup.bake();
    rollup.bake(tezDepositMessage(ALICE, 4n));
    await expect.poll(() => follower.level).toBe(4);
    expect(seen).toEqual(["1/2: 1", "2/3: 2", "2/4: 3", "4/2: 4"]);
  });

  it("tells of transfers that are no deposits, and of tickets that the real runtime ignores, once a level", async () => {
    const ticket = { ticketer: addressOf(EXCHANGER_ADDRESS), id: 7n, content: null, amount: 2n ** 64n };
    rollup.bake(faDepositMessage(ALICE, null, ticket), tezDepositMessage(ALICE, 1n));
    rollup.bake(tezDepositMessage(ALICE, 1n, { id: 1n }), tezDepositMessage(ALICE, 1n, { id: 2n }));
    follower.start();
    await expect.poll(() => follower.level).toBe(2);
    expect(seen).toEqual(["1/2: 18446744073709551616", "1/3: 1"]);
    expect(warnings).toEqual([
      { level: 1, deposits: 1, amount: "18446744073709551616" },
      { level: 2, transfers: 2, reason: "its ticket does not stand for tez of the bridge" },
    ]);
  });

  it("resumes when layer 1 comes back, without reading a level twice", async () => {
    rollup.bake(tezDepositMessage(ALICE, 1n));
    follower.start();
    await expect.poll(() => follower.level).toBe(1);
    await rollup.stop();
    await expect.poll(() => follower.connected).toBe(false);
    rollup.bake(tezDepositMessage(ALICE, 2n));
    await rollup.restart(port);
    await expect.poll(() => follower.connected, { timeout: 5_000 }).toBe(true);
    expect(seen).toEqual(["1/2: 1", "2/2: 2"]);
  });

  it("waits for a layer 1 that is not up yet", async () => {
    await rollup.stop();
    follower.start();
    await expect.poll(() => follower.failure).toBeDefined();
    await rollup.restart(port);
    await expect.poll(() => follower.connected, { timeout: 5_000 }).toBe(true);
  });

  it("refuses to follow another chain under the same endpoint", async () => {
    rollup.bake();
    rollup.bake();
    follower.start();
    await expect.poll(() => follower.level).toBe(2);
    await rollup.stop();
    rollup = new FakeRollup();
    await rollup.start(port);
    await expect.poll(() => follower.failure, { timeout: 5_000 }).toMatch(/went back/);
    rollup.bake();
    rollup.bake();
    rollup.bake(tezDepositMessage(ALICE, 1n));
    expect(follower.connected).toBe(false);
    expect(seen).toEqual([]);
  });
});
