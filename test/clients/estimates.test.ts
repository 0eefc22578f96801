// Compares Taquito's estimates with the figures in its own integration tests on public networks (`tz1-estimation-tests`
// to `tz3-estimation-tests`). The account there has not revealed its key: the revelation pays for the signature.
import { randomBytes } from "node:crypto";
import { InMemorySigner } from "@taquito/signer";
import { TezosToolkit } from "@taquito/taquito";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { encodeBase58 } from "../../daemon/tezos/base58.ts";
import { randomSecretKey } from "../../daemon/tezos/keys.ts";
import { type StartedNode, startNode } from "./started-node.ts";

const RICH = BOOTSTRAP_ACCOUNTS[0];
const BAKER = BOOTSTRAP_ACCOUNTS[1];

let node: StartedNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(async () => {
  expect(node.errors).toEqual([]);
  await node[Symbol.asyncDispose]();
});

function toolkit(secretKey: string): TezosToolkit {
  const tezos = new TezosToolkit(node.endpoint);
  tezos.setProvider({ signer: new InMemorySigner(secretKey) });
  return tezos;
}

/** The first byte is small, so that the key is below the order of every curve. */
const secret = (): Uint8Array => Uint8Array.of(1, ...randomBytes(31));

it.each<[string, () => string]>([
  ["tz1", () => randomSecretKey().text],
  ["tz2", () => encodeBase58("spsk", secret())],
  ["tz3", () => encodeBase58("p2sk", secret())],
])("of an account of %s", async (curve, key) => {
  const tezos = toolkit(key());
  const source = await tezos.signer.publicKeyHash();
  expect(source.startsWith(curve)).toBe(true);
  await (await toolkit(RICH.secretKey).contract.transfer({ to: source, amount: 5 })).confirmation();

  expect(await tezos.estimate.transfer({ to: RICH.address, amount: 0.019 })).toMatchObject({
    gasLimit: 2101,
    storageLimit: 0,
    burnFeeMutez: 0,
    consumedMilligas: 2_100_040,
  });
  const unknown = await toolkit(randomSecretKey().text).signer.publicKeyHash();
  expect(await tezos.estimate.transfer({ to: unknown, amount: 0.017 })).toMatchObject({
    gasLimit: 2101,
    storageLimit: 277,
    burnFeeMutez: 69_250,
    consumedMilligas: 2_100_040,
  });
  expect(await tezos.estimate.setDelegate({ source, delegate: BAKER.address })).toMatchObject({
    gasLimit: 100,
    storageLimit: 0,
    consumedMilligas: 100_000,
  });
});
