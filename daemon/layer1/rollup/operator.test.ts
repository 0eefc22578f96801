import { afterEach, describe, expect, it } from "vitest";
import { silentLog } from "../../parts/log.ts";
import { type Part } from "../../parts/part.ts";
import { ownerHeaders } from "../../protocol/admin-secret.ts";
import { BRIDGE_ADDRESS, EXCHANGER_ADDRESS, ROLLUP_ADDRESS } from "../../protocol/constants.ts";
import { bytesOfAddress } from "../../tezos/address.ts";
import { toHex } from "../../tezos/hex.ts";
import type { Layer1Options } from "../layer1-node.ts";
import { ALICE, driveChain } from "../testing/driven-chain.ts";
import { createTestNode } from "../testing/test-node.ts";

const SECRET = "a-secret-of-the-owner";
const OWNER = ownerHeaders(SECRET);

const RECEIVER = "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg";
const WITHDRAWAL =
  "000000006407070a0000001600007324983d7c29837e7277473c1c2e467bfb3f77b407070a000000160146d83d8ef8bce4d8c60a96170739c0269384075a0007070707000003060080897a0146d83d8ef8bce4d8c60a96170739c0269384075a00000000046275726e";

let part: Part;
afterEach(() => part.stop(1_000));

async function start(options: Partial<Layer1Options>) {
  part = createTestNode({
    adminSecret: SECRET,
    blockTimeSeconds: 3600,
    ...options,
  });
  await part.start(new AbortController().signal);
  const endpoint = part.endpoint();
  const request = async (path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(
      endpoint + path,
      body === undefined ? {} : { method: "POST", body: JSON.stringify(body), headers: OWNER },
    );
    return response.json();
  };
  const level = async (): Promise<number> => (await request("/global/tezos_level")) as number;
  const balance = (): Promise<unknown> =>
    request(`/chains/main/blocks/head/context/contracts/${RECEIVER}/balance`);
  // Built for this chain: its genesis and first blocks depend on the clock, so the branch must be fetched.
  const branch = (await request("/chains/main/blocks/head/hash")) as string;
  const driven = driveChain();
  const deposit = driven.fill([
    {
      kind: "transaction",
      destination: BRIDGE_ADDRESS,
      amount: "3000000",
      parameters: { entrypoint: "deposit", value: { string: ALICE.address } },
    },
  ]);
  await request("/injection/operation", toHex(driven.sign(deposit, ALICE, branch)));
  return { request, level, balance };
}

describe("the rollup's operator", () => {
  it("executes a withdrawal as soon as its commitment is cemented", async () => {
    const node = await start({ commitmentPeriodBlocks: 4, challengeWindowBlocks: 4 });
    const sent = await node.level();
    expect(
      await node.request("/local/outbox", { level: sent, messages: [{ hex: WITHDRAWAL, id: "w1" }] }),
    ).toEqual([{ outbox_level: sent, message_index: 0 }]);
    // Sending the same message again adds nothing.
    expect(
      await node.request("/local/outbox", { level: sent, messages: [{ hex: WITHDRAWAL, id: "w1" }] }),
    ).toEqual([{ outbox_level: sent, message_index: 0 }]);
    const executable = Math.ceil(sent / 4) * 4 + 4;
    await node.request("/admin/bake", { blocks: executable - sent - 1 });
    expect(await node.balance()).toBe("0");
    expect(await node.request("/local/outbox/pending/unexecutable")).toMatchObject([{ outbox_level: sent }]);
    await node.request("/admin/bake", { blocks: 1 });
    await expect.poll(node.balance).toBe("1000000");
    expect(await node.request("/local/outbox/pending")).toEqual([]);
  });

  it("executes within a block when commitments take no time", async () => {
    const node = await start({ commitmentPeriodBlocks: 1, challengeWindowBlocks: 0 });
    await node.request("/local/outbox", { level: await node.level(), messages: [WITHDRAWAL] });
    await expect.poll(node.balance).toBe("1000000");
  });

  it.each([
    ["a contract that does not exist", `01${"ab".repeat(20)}00`],
    ["a contract that takes no tez by themselves", toHex(bytesOfAddress(BRIDGE_ADDRESS))],
  ])("tells that layer 1 does not pay a withdrawal to %s, and leaves it executable", async (_, receiver) => {
    const warnings: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => void warnings.push(fields) };
    const node = await start({ commitmentPeriodBlocks: 1, challengeWindowBlocks: 0, log });
    const level = await node.level();
    const message = WITHDRAWAL.replace(toHex(bytesOfAddress(RECEIVER)), receiver);
    await node.request("/local/outbox", { level, messages: [message] });
    await expect.poll(() => warnings).toHaveLength(1);
    expect(warnings).toMatchObject([
      {
        operation: expect.stringMatching(/^o/) as string,
        outbox_level: level,
        message_index: 0,
        to: EXCHANGER_ADDRESS,
        errors: [{}, { with: { string: "Invalid callback" } }],
      },
    ]);
    expect(await node.request("/local/outbox/pending/executable")).toMatchObject([{ outbox_level: level }]);
  });

  it("waits for the configured delay, and does nothing when switched off", async () => {
    const node = await start({
      commitmentPeriodBlocks: 1,
      challengeWindowBlocks: 1,
      withdrawalDelayBlocks: 5,
    });
    await node.request("/local/outbox", { level: await node.level(), messages: [WITHDRAWAL] });
    await node.request("/admin/bake", { blocks: 5 });
    expect(await node.balance()).toBe("0");
    await node.request("/admin/bake", { blocks: 1 });
    await expect.poll(node.balance).toBe("1000000");
    await part.stop(1_000);

    const manual = await start({
      commitmentPeriodBlocks: 1,
      challengeWindowBlocks: 1,
      autoExecuteWithdrawals: false,
    });
    const sent = await manual.level();
    await manual.request("/local/outbox", { level: sent, messages: [WITHDRAWAL] });
    await manual.request("/admin/bake", { blocks: 20 });
    expect(await manual.balance()).toBe("0");
    expect(
      await manual.request(`/global/block/head/helpers/proofs/outbox/${sent}/messages?index=0`),
    ).toMatchObject({
      commitment: expect.stringMatching(/^src1/),
      proof: expect.stringMatching(/^[0-9a-f]+$/),
    });
  });

  it("puts batched messages into the next level's inbox as external ones", async () => {
    const node = await start({});
    const ids = (await node.request("/local/batcher/injection", ["00aabb", "01"])) as string[];
    expect(ids).toHaveLength(2);
    await expect
      .poll(async () => ((await node.request("/global/block/head")) as { messages: string[] }).messages)
      .toEqual(["0001", expect.stringMatching(/^0003/), "0100aabb", "0101", "0002"]);
    expect(
      await node.request(
        `/chains/main/blocks/head/context/smart_rollups/smart_rollup/${ROLLUP_ADDRESS}/kind`,
      ),
    ).toBe("riscv");
  });
});
