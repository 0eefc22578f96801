// The official SDK drives a started node: what works here works for every program that uses the SDK.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringifyExact } from "../../daemon/protocol/exact-json.ts";
import type { OperationContent } from "../../daemon/protocol/runtime-operation.ts";
import { tezDepositMessage } from "../../daemon/runtime/inbox/test-deposit.ts";
import {
  FakeRollup,
  runContent,
  Signer,
  startNode,
  type StartedNode,
} from "../../daemon/runtime/test-node.ts";
import { loadSdk, type Sdk, type SdkClient } from "./sdk-source.ts";

const STORE = `export default async (request) => {
  const { key, value } = await request.json();
  if (value === undefined) throw new Error("no value");
  Kv.set(key, value);
  console.log("stored", key);
  return new Response(JSON.stringify({ stored: key }), { status: 200, headers: { "content-type": "application/json" } });
};`;

const sdk = await loadSdk();
if (typeof sdk === "string") console.warn(`test/sdk is skipped: ${sdk}`);

describe.skipIf(typeof sdk === "string")("the official SDK", () => {
  const { default: Client, NotFoundError, UnprocessableEntityError, BadRequestError } = sdk as Sdk;
  const fast = { pollInterval: 10 };
  let node: StartedNode;
  let rollup: FakeRollup;
  let client: SdkClient;
  let alice: Signer;
  let store: string;

  beforeAll(async () => {
    rollup = new FakeRollup();
    await rollup.start();
    node = await startNode({ rollupEndpoint: () => rollup.endpoint });
    client = new Client({ baseURL: node.endpoint, maxRetries: 0 });
    alice = new Signer(node.client);
    store = (
      (await client.operations.injectAndPoll(signedJson(deploy(STORE)), fast)) as {
        result: { inner: { address: string } };
      }
    ).result.inner.address;
  });
  afterAll(async () => {
    await node.stop();
    await rollup.stop();
  });

  const deploy = (functionCode: string): OperationContent => ({
    _type: "DeployFunction",
    functionCode,
    accountCredit: 0n,
  });
  /** The operation as programs pass it to the SDK: with plain numbers. */
  const signedJson = (content: OperationContent): unknown =>
    JSON.parse(stringifyExact(alice.sign(content).signed));
  const put = (body: unknown): OperationContent =>
    runContent(`jstz://${store}/`, { method: "POST", body: JSON.stringify(body) });

  it("deploys, and reads the account back", async () => {
    expect(await client.accounts.getCode(store)).toBe(STORE);
    expect(await client.accounts.get(store)).toEqual({
      SmartFunction: { amount: 0, nonce: 0, functionCode: STORE },
    });
    expect(await client.accounts.getNonce(alice.address)).toBeGreaterThan(0);
  });

  it("runs, and finds the receipt under the hash that it computes", async () => {
    const operation = signedJson(put({ key: "a/b c".replace(" ", "_"), value: { n: 1 } })) as {
      inner: unknown;
    };
    const receipt = (await client.operations.injectAndPoll(operation, fast)) as {
      hash: number[];
      result: { inner: { statusCode: number; body: unknown; headers: Record<string, string> } };
    };
    expect(receipt.result.inner.statusCode).toBe(200);
    expect(receipt.result.inner.headers["content-type"]).toBe("application/json");
    const hash = await client.operations.hash(operation.inner);
    expect(Buffer.from(receipt.hash).toString("hex")).toBe(hash);
    expect(await client.accounts.getKv(store, { key: "a/b_c" })).toEqual({ n: 1 });
    expect(await client.accounts.getSubkeys(store, { key: "a" })).toEqual(["b_c"]);
    expect(await client.accounts.getSubkeys(store)).toContain("a");
  });

  it("never finds a receipt missing, however soon it polls", async () => {
    const slow = `export default () => { let n = 0; for (let i = 0; i < 3e6; i++) n += i; return new Response(String(n)) }`;
    const { result } = (await client.operations.injectAndPoll(signedJson(deploy(slow)), {
      pollInterval: 1,
    })) as {
      result: { inner: { address: string } };
    };
    const run = signedJson(runContent(`jstz://${result.inner.address}/`));
    await expect(client.operations.injectAndPoll(run, { pollInterval: 1 })).resolves.toBeDefined();
  });

  it("shows balances", async () => {
    rollup.bake(tezDepositMessage(alice.address, 1_000_000n));
    await expect.poll(() => client.accounts.getBalance(alice.address)).toBe(1_000_000);
  });

  it("resolves with the status when a run fails, and rejects when the operation does", async () => {
    const failed = (await client.operations.injectAndPoll(signedJson(put({ key: "a" })), fast)) as {
      result: { inner: { statusCode: number } };
    };
    expect(failed.result.inner.statusCode).toBe(500);
    await expect(client.operations.injectAndPoll(signedJson(deploy("nonsense(")), fast)).rejects.toThrow(
      /SyntaxError/,
    );
    const future = signedJson(deploy(STORE)) as { inner: { nonce: number } };
    future.inner.nonce += 10;
    await expect(client.operations.injectAndPoll(future, fast)).rejects.toThrow(/signature/i);
    alice.nonce = BigInt(await client.accounts.getNonce(alice.address));
  });

  it("turns statuses into its own errors", async () => {
    await expect(client.accounts.get("tz1nobody")).rejects.toThrow(NotFoundError);
    await expect(client.accounts.getKv(store, { key: "nothing" })).rejects.toThrow(NotFoundError);
    await expect(client.accounts.getKv(store, { key: null })).rejects.toThrow(NotFoundError);
    await expect(client.accounts.getCode(alice.address)).rejects.toThrow(BadRequestError);
    await expect(client.operations.getReceipt("00".repeat(32))).rejects.toThrow(NotFoundError);
    await expect(client.operations.inject({ inner: {} })).rejects.toThrow(UnprocessableEntityError);
  });

  it("reads the log live and afterwards", async () => {
    const response = await client.accounts.logs.stream(store).asResponse();
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe("data: connected\n\n");
    const operation = signedJson(put({ key: "logged", value: 1 })) as { inner: unknown };
    await client.operations.injectAndPoll(operation, fast);
    const expected = {
      address: store,
      requestId: await client.operations.hash(operation.inner),
      level: "INFO",
      text: "stored logged\n",
    };
    expect((await reader.read()).value).toBe(`data: ${JSON.stringify(expected)}\n\n`);
    await reader.cancel();
    expect(await client.accounts.logs.persistent.list(store, { limit: 1 })).toEqual([expected]);
    expect(await client.accounts.logs.persistent.get(store, expected.requestId)).toEqual([expected]);
  });
});
