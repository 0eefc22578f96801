// The whole path of tez: from a layer 1 account over the bridge into the runtime, and back by a withdrawal.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLayer1Client, type Layer1Client } from "../../daemon/client/layer1-client.ts";
import { createTestNode } from "../../daemon/layer1/testing/test-node.ts";
import { type Part } from "../../daemon/parts/part.ts";
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS } from "../../daemon/protocol/constants.ts";
import { parseSecretKey } from "../../daemon/protocol/secret-key.ts";
import { Signer, startNode, type StartedNode, TEST_SECRET } from "../../daemon/runtime/test-node.ts";

let layer1: Part;
let client: Layer1Client;
let node: StartedNode;

beforeAll(async () => {
  layer1 = createTestNode({
    adminSecret: TEST_SECRET,
    blockTimeSeconds: 0.05,
    commitmentPeriodBlocks: 2,
    challengeWindowBlocks: 2,
  });
  await layer1.start(new AbortController().signal);
  client = createLayer1Client(layer1.endpoint());
  node = await startNode({ rollupEndpoint: () => layer1.endpoint(), layer1Secret: TEST_SECRET });
});
afterAll(async () => {
  await node.stop();
  await layer1.stop(1000);
});

function deposit(receiver: string, amount: bigint) {
  return client.send({
    key: parseSecretKey(BOOTSTRAP_ACCOUNTS[2].secretKey),
    destination: BRIDGE_ADDRESS,
    amount,
    parameters: { entrypoint: "deposit", value: { string: receiver } },
  });
}

describe("the bridge", () => {
  it("brings a deposit to the account, to the mutez, once", async () => {
    const alice = new Signer(node.client);
    const { level } = await deposit(alice.address, 1_234_567n);
    await expect.poll(() => node.client.balance(alice.address), { timeout: 10_000 }).toBe(1_234_567n);
    const listed = (await node.client.deposits())?.find(({ receiver }) => receiver === alice.address);
    expect(listed).toMatchObject({ level, amount: "1234567", source: BOOTSTRAP_ACCOUNTS[2].address });
    expect(await node.client.receipt(listed!.hash)).toMatchObject({
      result: {
        _type: "Success",
        inner: { _type: "Deposit", account: alice.address, updatedBalance: 1_234_567n },
      },
    });
  });

  it("credits a smart function, whose code does not run", async () => {
    const alice = new Signer(node.client);
    const address = await alice.deploy("export default () => { Kv.set('ran', true); return new Response() }");
    await deposit(address, 5n);
    await expect.poll(() => node.client.balance(address), { timeout: 10_000 }).toBe(5n);
    expect(await node.client.kv(address, "ran")).toBeUndefined();
  });

  it("pays out a withdrawal on layer 1", async () => {
    const alice = new Signer(node.client);
    await deposit(alice.address, 3_000_000n);
    await expect.poll(() => node.client.balance(alice.address), { timeout: 10_000 }).toBe(3_000_000n);
    const body = JSON.stringify({ amount: 1_000_000, receiver: alice.address });
    expect((await alice.run("jstz://jstz/withdraw", { method: "POST", body })).statusCode).toBe(200);
    expect(await node.client.balance(alice.address)).toBe(2_000_000n);
    await expect.poll(() => client.balance(alice.address), { timeout: 20_000 }).toBe(1_000_000n);
  });
});
