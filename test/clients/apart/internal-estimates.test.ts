// Taquito's estimates against our layer 1, compared with the figures for the real network in its own public integration
// tests (`integration-tests/__tests__/contract/tz*-estimation-tests.spec.ts` of ecadlabs/taquito, June 2026). Fees
// follow from gas and size; they are a few mutez lower here, because counters of a new chain take fewer bytes.
import { InMemorySigner } from "@taquito/signer";
import { MANAGER_LAMBDA, TezosToolkit } from "@taquito/taquito";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../../../daemon/protocol/constants.ts";
import { encodeBase58 } from "../../../daemon/tezos/base58.ts";
import { parseMichelineText, parseScriptText } from "../../../daemon/tezos/micheline-text.ts";
import { type StartedNode, startNode } from "../started-node.ts";

// Development keys of this test only.
const SECRET_KEYS = {
  tz1: "edsk3AbxMYLgdY71xPEjWjXi5JCx6tSS8jhQ2mc1KczZ1JfPrTqSgM",
  tz2: "spsk3C5t8pmj3etbMhXFFo2wVgiM9CQn5oPW7XuT3ZHM2Edv2wg171",
  tz3: "p2sk2REWfVA5GbHf6cdGK74krBzHzEaS9ifLg3b1syZ821DQ5Btd3T",
  tz4: "BLsk1YzeMtbVxGre6wskMFkbDb2UKm8Eu2QKfruj6ndSNhKyVitcQi",
} as const;

/** Calls lambdas of its manager. The figures apply to this code. */
const MANAGER = parseScriptText(`
  parameter (or (lambda %do unit (list operation)) (unit %default)); storage key_hash;
  code { { { DUP; CAR; DIP { CDR } } };
    IF_LEFT
      { PUSH mutez 0; AMOUNT; { { COMPARE; EQ }; IF {} { { UNIT; FAILWITH } } };
        { DIP { DUP }; SWAP }; IMPLICIT_ACCOUNT; ADDRESS; SENDER;
        { { COMPARE; EQ }; IF {} { { UNIT; FAILWITH } } }; UNIT; EXEC; PAIR }
      { DROP; NIL operation; PAIR } }`);
const MADE =
  "{ parameter (list int); storage (list int); code { CAR; MAP { PUSH int 1; ADD }; NIL operation; PAIR } }";
const MAKING = `NIL int; AMOUNT; NONE key_hash; CREATE_CONTRACT ${MADE}; SWAP; DROP; CONS`;
const SENDING = (to: string): string =>
  `PUSH key_hash "${to}"; IMPLICIT_ACCOUNT; PUSH mutez 50; UNIT; TRANSFER_TOKENS; CONS`;
const lambda = (...parts: readonly string[]): object =>
  parseMichelineText(`{ DROP; NIL operation; ${parts.join("; ")} }`);

interface Figures {
  readonly gasLimit: number;
  readonly storageLimit: number;
  readonly burnFeeMutez: number;
  readonly consumedMilligas: number;
}
/**
 * Tolerance for contract calls: part of the cost depends on the logarithm of the size of the protocol's contract cache,
 * 43 milligas per bit and access, and our model of loading a contract is this imprecise.
 */
const CALL_ROOM = 13_000;

/** Accounts that have not been paid for yet. */
const [UNKNOWN_1, UNKNOWN_2] = [1, 2].map((byte) => encodeBase58("tz1", new Uint8Array(20).fill(byte))) as [
  string,
  string,
];

describe.each(Object.entries(SECRET_KEYS))("an account of kind %s", (_kind, secretKey) => {
  let node: StartedNode;
  let rich: TezosToolkit;
  let tezos: TezosToolkit;
  let manager: string;
  const baker = BOOTSTRAP_ACCOUNTS[2].address;

  beforeAll(async () => {
    node = await startNode();
    const toolkit = (key: string): TezosToolkit => {
      const made = new TezosToolkit(node.endpoint);
      made.setProvider({
        signer: new InMemorySigner(key),
        config: { confirmationPollingIntervalSecond: 0.1 } as never,
      });
      return made;
    };
    rich = toolkit(BOOTSTRAP_ACCOUNTS[1].secretKey);
    tezos = toolkit(secretKey);
    const address = await tezos.signer.publicKeyHash();
    await (await rich.contract.transfer({ to: address, amount: 3 })).confirmation();
    const made = await rich.contract.originate({
      balance: "1",
      code: MANAGER as never,
      init: { string: address },
    });
    await made.confirmation();
    manager = made.contractAddress!;
  });
  afterAll(() => node[Symbol.asyncDispose]());

  const call = async (code: object): Promise<Figures> => {
    const contract = await tezos.contract.at(manager);
    return tezos.estimate.transfer(contract.methodsObject["do"]!(code).toTransferParams());
  };

  it.each<[string, () => Promise<Figures>, Figures]>([
    [
      "a transfer",
      () => tezos.estimate.transfer({ to: baker, amount: 0.019 }),
      { gasLimit: 2101, storageLimit: 0, burnFeeMutez: 0, consumedMilligas: 2_100_040 },
    ],
    [
      "a transfer to a new account",
      () => tezos.estimate.transfer({ to: UNKNOWN_1, amount: 0.017 }),
      { gasLimit: 2101, storageLimit: 277, burnFeeMutez: 69_250, consumedMilligas: 2_100_040 },
    ],
    [
      "a delegation",
      async () => tezos.estimate.setDelegate({ delegate: baker, source: await tezos.signer.publicKeyHash() }),
      { gasLimit: 100, storageLimit: 0, burnFeeMutez: 0, consumedMilligas: 100_000 },
    ],
  ])("%s", async (_, estimate, figures) => {
    expect(await estimate()).toMatchObject(figures);
  });

  it.each<[string, () => object, Figures]>([
    [
      "an internal transfer",
      () => MANAGER_LAMBDA.transferImplicit(baker, 5),
      { gasLimit: 3458, storageLimit: 0, burnFeeMutez: 0, consumedMilligas: 3_457_645 },
    ],
    [
      "internal transfers to new accounts",
      () => lambda(SENDING(UNKNOWN_1), SENDING(UNKNOWN_2)),
      { gasLimit: 5573, storageLimit: 534, burnFeeMutez: 133_500, consumedMilligas: 5_572_174 },
    ],
    [
      "an internal origination",
      () => lambda(MAKING),
      { gasLimit: 1869, storageLimit: 337, burnFeeMutez: 84_250, consumedMilligas: 1_868_269 },
    ],
    [
      "internal originations",
      () => lambda(MAKING, MAKING),
      { gasLimit: 2394, storageLimit: 654, burnFeeMutez: 163_500, consumedMilligas: 2_393_422 },
    ],
  ])("%s", async (_, code, figures) => {
    const found = await call(code());
    expect(found).toMatchObject({
      storageLimit: figures.storageLimit,
      burnFeeMutez: figures.burnFeeMutez,
    });
    expect(Math.abs(found.consumedMilligas - figures.consumedMilligas)).toBeLessThan(CALL_ROOM);
    expect(Math.abs(found.gasLimit - figures.gasLimit)).toBeLessThanOrEqual(CALL_ROOM / 1000);
  });
});
