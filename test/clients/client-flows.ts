// Flows of a client library on layer 1: the same for every library and version, over real HTTP.
import type { TezosToolkit } from "@taquito/taquito";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS, EXCHANGER_ADDRESS } from "../../daemon/protocol/constants.ts";
import { randomSecretKey } from "../../daemon/tezos/keys.ts";
import { describeContracts } from "./contract-flows.ts";
import { describeOperations } from "./operation-flows.ts";
import { type StartedNode, startNode } from "./started-node.ts";

/** The interface that all libraries share. */
export type Toolkit = TezosToolkit;

/** A library under test. */
export interface Client {
  toolkit(endpoint: string, secretKey: string): Toolkit;
}

const [ACCOUNT_0, ACCOUNT_1, ACCOUNT_2] = BOOTSTRAP_ACCOUNTS;

export function describeClient(client: Client): void {
  let node: StartedNode;
  beforeAll(async () => {
    node = await startNode();
  });
  afterAll(async () => {
    expect(node.errors).toEqual([]);
    await node[Symbol.asyncDispose]();
  });
  const toolkit = (account: { readonly secretKey: string } = ACCOUNT_1): TezosToolkit =>
    client.toolkit(node.endpoint, account.secretKey);

  it("reads a balance", async () => {
    const balance = await toolkit().tz.getBalance(ACCOUNT_2.address);
    expect(balance.toFixed()).toBe("100000000000");
  });

  it("estimates and sends a transfer, and sees it confirmed", async () => {
    const tezos = toolkit();
    const before = await tezos.tz.getBalance(ACCOUNT_0.address);
    const estimate = await tezos.estimate.transfer({ to: ACCOUNT_0.address, amount: 1.5 });
    expect(estimate.suggestedFeeMutez).toBeLessThan(1_000);
    expect(estimate.burnFeeMutez).toBe(0);
    const operation = await tezos.contract.transfer({ to: ACCOUNT_0.address, amount: 1.5 });
    await operation.confirmation(1);
    expect(operation.status).toBe("applied");
    const after = await tezos.tz.getBalance(ACCOUNT_0.address);
    expect(after.minus(before).toFixed()).toBe("1500000");
  });

  it("waits for two confirmations", async () => {
    const operation = await toolkit().contract.transfer({ to: ACCOUNT_0.address, amount: 1 });
    const level = await operation.confirmation(2);
    expect(level).toBe(operation.includedInBlock + 1);
  });

  it("funds a new account, which then reveals its key with its first transfer", async () => {
    const fresh = randomSecretKey();
    const funding = toolkit();
    const estimate = await funding.estimate.transfer({ to: fresh.publicKey.address, amount: 10 });
    // 257 bytes at 250 mutez, and the 20 bytes that the library adds for safety.
    expect(estimate.burnFeeMutez).toBe(69_250);
    await (await funding.contract.transfer({ to: fresh.publicKey.address, amount: 10 })).confirmation(1);
    const tezos = toolkit({ secretKey: fresh.text });
    const operation = await tezos.contract.transfer({ to: ACCOUNT_0.address, amount: 1 });
    await operation.confirmation(1);
    expect(operation.revealStatus).toBe("applied");
    expect(operation.status).toBe("applied");
    expect(await tezos.rpc.getManagerKey(fresh.publicKey.address)).toBe(fresh.publicKey.text);
  });

  it("deposits through the bridge and finds the tez in the exchanger", async () => {
    const tezos = toolkit();
    const before = await tezos.tz.getBalance(EXCHANGER_ADDRESS);
    const bridge = await tezos.contract.at(BRIDGE_ADDRESS);
    const operation = await bridge.methodsObject["deposit"]!(ACCOUNT_1.address).send({ amount: 3 });
    await operation.confirmation(1);
    expect(operation.status).toBe("applied");
    expect((await tezos.tz.getBalance(EXCHANGER_ADDRESS)).minus(before).toFixed()).toBe("3000000");
    const { messages } = (await node.get(`/global/block/${operation.includedInBlock}`)) as {
      messages: string[];
    };
    expect(messages).toHaveLength(4);
  });

  it("sends a batch of 100 transfers in one operation", async () => {
    const tezos = toolkit(ACCOUNT_2);
    const before = await tezos.tz.getBalance(ACCOUNT_0.address);
    const batch = tezos.contract.batch();
    for (let i = 0; i < 100; i++) batch.withTransfer({ to: ACCOUNT_0.address, amount: 1, mutez: true });
    const operation = await batch.send();
    await operation.confirmation(1);
    expect(operation.status).toBe("applied");
    expect((await tezos.tz.getBalance(ACCOUNT_0.address)).minus(before).toFixed()).toBe("100");
  });

  it("sends twice in a row before the next block, when blocks are made by time only", async () => {
    await using slow = await startNode({ timing: "interval" });
    const tezos = client.toolkit(slow.endpoint, ACCOUNT_2.secretKey);
    const first = await tezos.contract.transfer({ to: ACCOUNT_0.address, amount: 1 });
    const second = await tezos.contract.transfer({ to: ACCOUNT_0.address, amount: 1 });
    await Promise.all([first.confirmation(1), second.confirmation(1)]);
    expect([first.status, second.status]).toEqual(["applied", "applied"]);
  });

  it("sends twice in a row with a block for each, and sees both when it starts waiting at once", async () => {
    const tezos = toolkit(ACCOUNT_2);
    const confirmed: Promise<unknown>[] = [];
    for (let i = 0; i < 2; i++) {
      const operation = await tezos.contract.transfer({ to: ACCOUNT_0.address, amount: 1 });
      confirmed.push(operation.confirmation(1));
    }
    await Promise.all(confirmed);
  });

  it("sends through the wallet interface", async () => {
    const operation = await toolkit().wallet.transfer({ to: ACCOUNT_0.address, amount: 1 }).send();
    await operation.confirmation(1);
    expect(await operation.status()).toBe("applied");
  });

  it("puts a message into the rollup inbox", async () => {
    const operation = await toolkit().contract.smartRollupAddMessages({ message: ["0000aa"] });
    await operation.confirmation(1);
    const { messages } = (await node.get(`/global/block/${operation.includedInBlock}`)) as {
      messages: string[];
    };
    expect(messages[2]).toBe("010000aa");
  });

  it("follows new blocks", async () => {
    const tezos = toolkit();
    const subscription = tezos.stream.subscribeBlock("head");
    const levels: number[] = [];
    await new Promise<void>((resolve, reject) => {
      subscription.on("error", reject);
      subscription.on("data", (block) => {
        levels.push(block.header.level);
        if (levels.length === 2) resolve();
      });
    });
    subscription.close();
    expect(levels[1]).toBeGreaterThan(levels[0]!);
  });

  it("shows the failure text of a contract", async () => {
    const bridge = await toolkit().contract.at(BRIDGE_ADDRESS);
    await expect(bridge.methodsObject["deposit"]!(ACCOUNT_1.address).send({ amount: 0 })).rejects.toThrow(
      "Deposit amount must be greater than 0",
    );
  });

  describeOperations((account) => toolkit(account));
  describeContracts((account) => toolkit(account));
}
