import { describe, expect, it } from "vitest";
import { BRIDGE_ADDRESS } from "../../protocol/constants.ts";
import { signatureBytes } from "../../tezos/address.ts";
import { MalformedBytes } from "../../tezos/byte-reader.ts";
import type { Content } from "../../tezos/content.ts";
import { randomSecretKey } from "../../tezos/keys.ts";
import { parseScriptText } from "../../tezos/micheline-text.ts";
import { decodeOperation } from "../../tezos/operation-codec.ts";
import { DEFAULT_PROTOCOL, protocolOf } from "../../tezos/protocols.ts";
import { OperationRefused } from "../operations/operation-refused.ts";
import { ALICE, BOB, type Draft, type DrivenChain, driveChain, errorIds } from "../testing/driven-chain.ts";

const transfer = (fields: Partial<Draft> = {}): Draft =>
  ({ kind: "transaction", destination: BOB.address, amount: "1", ...fields }) as Draft;

/** The first error with which the injection of signed contents is refused. */
async function refusal(driven: DrivenChain, contents: readonly Content[], account = ALICE): Promise<object> {
  const before = driven.chain.head.hash;
  try {
    await driven.chain.inject(driven.sign(contents, account));
  } catch (error) {
    expect(error).toBeInstanceOf(OperationRefused);
    expect(driven.chain.pending).toEqual([]);
    expect(driven.chain.head.hash).toBe(before);
    return (error as OperationRefused).toJson(PROTOCOL)[0]!;
  }
  return expect.unreachable();
}

const PROTOCOL = protocolOf(DEFAULT_PROTOCOL);
const P = PROTOCOL.errorPrefix;

describe("an operation is refused as a whole", () => {
  const cases: readonly (readonly [string, (driven: DrivenChain) => readonly Content[], object])[] = [
    [
      "with a used counter",
      (d) => d.fill([transfer({ counter: "0" })]),
      {
        id: `${P}contract.counter_in_the_past`,
        kind: "branch",
        contract: ALICE.address,
        expected: "1",
        found: "0",
      },
    ],
    [
      "with a counter that is too high",
      (d) => d.fill([transfer({ counter: "9" })]),
      { id: `${P}contract.counter_in_the_future`, kind: "temporary", expected: "1", found: "9" },
    ],
    [
      "with counters that are not consecutive",
      (d) => d.fill([transfer(), transfer({ counter: "5" })]),
      {
        id: `${P}validate.operation.inconsistent_counters`,
        kind: "permanent",
        previous_counter: "1",
        wrong_counter: "5",
      },
    ],
    [
      "with several sources",
      (d) => d.fill([transfer(), transfer({ source: BOB.address })]),
      {
        id: `${P}validate.operation.inconsistent_sources`,
        first_source: ALICE.address,
        unexpected_source: BOB.address,
      },
    ],
    [
      "with a reveal after another content",
      (d) => d.fill([transfer(), { kind: "reveal", public_key: ALICE.publicKey }]),
      { id: `${P}validate.operation.incorrect_reveal_position` },
    ],
    [
      "with too much gas",
      (d) => d.fill([transfer({ gas_limit: "1040001" })]),
      { id: `${P}gas_limit_too_high`, kind: "permanent" },
    ],
    [
      "with less gas than its own check needs",
      (d) => d.fill([transfer({ gas_limit: "10" })]),
      { id: `${P}validate.operation.insufficient_gas_for_manager` },
    ],
    [
      "with more gas than a block has",
      (d) =>
        d.fill([
          transfer({ gas_limit: "1000000", fee: "200000" }),
          transfer({ gas_limit: "1000000", fee: "200000" }),
        ]),
      { id: `${P}gas_limit_too_high`, kind: "permanent" },
    ],
    [
      "with too much storage",
      (d) => d.fill([transfer({ storage_limit: "60001" })]),
      { id: `${P}storage_limit_too_high` },
    ],
    [
      "with a fee that cannot be paid",
      (d) => d.fill([transfer({ fee: "100000000001" })]),
      { id: `${P}contract.balance_too_low`, kind: "temporary", contract: ALICE.address },
    ],
    [
      "with a fee that is too low",
      (d) => d.fill([transfer({ fee: "1" })]),
      { id: `${P}prefilter.fees_too_low`, kind: "permanent" },
    ],
    [
      "with an empty list of messages",
      (d) => d.fill([{ kind: "smart_rollup_add_messages", message: [] }]),
      { id: `${P}smart_rollup_add_zero_messages` },
    ],
  ];
  it.each(cases)("%s", async (_, contents, error) => {
    const driven = driveChain();
    expect(await refusal(driven, contents(driven))).toMatchObject(error);
  });

  it("from an account that was never funded", async () => {
    const driven = driveChain();
    const fresh = randomSecretKey();
    const account = {
      label: "fresh",
      address: fresh.publicKey.address,
      publicKey: fresh.publicKey.text,
      secretKey: fresh.text,
    };
    expect(await refusal(driven, driven.fill([transfer()], account), account)).toMatchObject({
      id: `${P}implicit.empty_implicit_contract`,
      implicit: account.address,
    });
    await driven.apply(transfer({ destination: account.address, amount: "1000000" }));
    expect(await refusal(driven, driven.fill([transfer()], account), account)).toMatchObject({
      id: `${P}contract.unrevealed_key`,
      contract: account.address,
    });
    const foreign = driven.fill([{ kind: "reveal", public_key: BOB.publicKey }], account);
    expect(await refusal(driven, foreign, account)).toMatchObject({
      id: `${P}contract.manager.inconsistent_hash`,
      provided_hash: BOB.address,
      expected_hash: account.address,
    });
  });

  it("when signed by another key", async () => {
    const driven = driveChain();
    await expect(driven.chain.inject(driven.sign(driven.fill([transfer()]), BOB))).rejects.toMatchObject({
      errors: [{ id: "operation.invalid_signature" }],
    });
  });

  it("when its branch is unknown", async () => {
    const driven = driveChain();
    const branch = "BLockGenesisGenesisGenesisGenesisGenesisf79b5d1CoW2";
    await expect(
      driven.chain.inject(driven.sign(driven.fill([transfer()]), ALICE, branch)),
    ).rejects.toMatchObject({ errors: [{ id: "failure" }], isShellError: true });
  });

  it("when a pending operation uses its counter", async () => {
    const driven = driveChain();
    const contents = driven.fill([transfer()]);
    await driven.chain.inject(driven.sign(contents));
    const other = [{ ...contents[0], amount: "2" } as Content];
    await expect(driven.chain.inject(driven.sign(other))).rejects.toMatchObject({
      errors: [{ id: "prevalidation.operation_conflict" }],
      isShellError: true,
    });
  });

  it("when it is not an operation at all", async () => {
    const driven = driveChain();
    await expect(driven.chain.inject(new Uint8Array(200))).rejects.toBeInstanceOf(MalformedBytes);
  });
});

describe("several operations of one account", () => {
  it("go into one block", async () => {
    const driven = driveChain();
    for (let i = 0; i < 3; i++) await driven.chain.inject(driven.sign(driven.fill([transfer()])));
    expect(driven.chain.bake().operations).toHaveLength(3);
  });

  it("are applied in order when they arrive out of order", async () => {
    const driven = driveChain();
    const signed = ["3", "1", "2"].map((counter) => driven.sign(driven.fill([transfer({ counter })])));
    const hashes = await Promise.all(signed.map((bytes) => driven.chain.inject(bytes)));
    expect(driven.chain.bake().operations.map(({ hash }) => hash)).toEqual([hashes[1], hashes[2], hashes[0]]);
  });

  it("need a block each on a strict chain", async () => {
    const driven = driveChain({ strict: true });
    const [first, second] = [
      driven.sign(driven.fill([transfer()])),
      driven.sign(driven.fill([transfer({ counter: "2" })])),
    ];
    await driven.chain.inject(first);
    await expect(driven.chain.inject(second)).rejects.toMatchObject({
      errors: [{ id: "prevalidation.operation_conflict" }],
    });
    driven.chain.bake();
    await driven.chain.inject(second);
    expect(driven.chain.bake().operations).toHaveLength(1);
  });

  it("of several accounts wait for the next block when the block of a strict chain has no gas left", async () => {
    const driven = driveChain({ strict: true });
    const sent = [ALICE, BOB].map((account) =>
      driven.sign(driven.fill([transfer({ gas_limit: "1000000", fee: "200000" })], account), account),
    );
    const hashes = [await driven.chain.inject(sent[0]!), await driven.chain.inject(sent[1]!)];
    expect(driven.chain.pending.map(({ hash }) => hash)).toEqual(hashes);
    expect(driven.chain.bake().operations.map(({ hash }) => hash)).toEqual([hashes[0]]);
    expect(driven.chain.bake().operations.map(({ hash }) => hash)).toEqual([hashes[1]]);
    expect(driven.chain.pending).toEqual([]);
  });

  it("count once when the same bytes are sent twice", async () => {
    const driven = driveChain();
    const bytes = driven.sign(driven.fill([transfer()]));
    expect(await driven.chain.inject(bytes)).toBe(await driven.chain.inject(bytes));
    expect(driven.chain.bake().operations).toHaveLength(1);
  });
});

describe("an operation is included as failed", () => {
  const MINTER = parseScriptText(
    "parameter unit; storage (list int); code { CDR; PUSH int 7; CONS; NIL operation; PAIR }",
  );

  it.each<[string, Draft, string]>([
    ["when the amount is not covered", transfer({ amount: "100000000000" }), "contract.balance_too_low"],
    [
      "when the contract is unknown",
      transfer({ destination: "KT1PWx2mnDueood7fEmfbBDKx1D9BAnnXitn" }),
      "contract.non_existing_contract",
    ],
    ["when nothing is sent to an implicit account", transfer({ amount: "0" }), "contract.empty_transaction"],
    [
      "when the entrypoint is unknown",
      transfer({
        destination: BRIDGE_ADDRESS,
        parameters: { entrypoint: "nope", value: { prim: "Unit" } },
      }),
      "michelson_v1.no_such_entrypoint",
    ],
    [
      "when the rollup is unknown",
      transfer({ destination: "sr163Lv22CdE8QagCwf48PWDTquk6isQwv57" }),
      "smart_rollup_does_not_exist",
    ],
    [
      "when an implicit account receives an argument",
      transfer({ parameters: { entrypoint: "default", value: { int: "1" } } }),
      "michelson_v1.bad_contract_parameter",
    ],
    ["when gas runs out", transfer({ gas_limit: "1000" }), "gas_exhausted.operation"],
    [
      "when the storage limit excludes the new account",
      transfer({
        destination: "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg",
        storage_limit: "256",
      }),
      "storage_exhausted.operation",
    ],
    [
      "when the payer cannot afford the new account",
      transfer({
        destination: "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg",
        amount: "99999979000",
      }),
      "contract.cannot_pay_storage_fee",
    ],
    [
      "when the script is ill-typed",
      {
        kind: "origination",
        balance: "0",
        script: { code: parseScriptText("parameter unit; storage int; code { CAR }"), storage: { int: "0" } },
      },
      "michelson_v1.ill_typed_contract",
    ],
    [
      "when the storage is ill-typed",
      { kind: "origination", balance: "0", script: { code: MINTER, storage: { int: "0" } } },
      "michelson_v1.ill_typed_data",
    ],
  ])("%s", async (_, draft, id) => {
    const driven = driveChain();
    const before = driven.balance(ALICE.address);
    const [metadata] = await driven.apply(draft);
    expect(errorIds(metadata!.operation_result)).toContain(id);
    expect(before - driven.balance(ALICE.address)).toBe(20_000n);
    expect(driven.chain.contextAt(driven.chain.head).account(ALICE.address)!.counter).toBe(1n);
  });

  it("and contents before it in the batch are backtracked, those after it skipped, and all fees paid", async () => {
    const driven = driveChain();
    const before = [driven.balance(ALICE.address), driven.balance(BOB.address)];
    const metadata = await driven.apply([transfer(), transfer({ amount: "0" }), transfer()]);
    expect(metadata.map(({ operation_result }) => operation_result.status)).toEqual([
      "backtracked",
      "failed",
      "skipped",
    ]);
    expect(driven.balance(BOB.address)).toBe(before[1]);
    expect(before[0]! - driven.balance(ALICE.address)).toBe(60_000n);
  });
});

describe("simulation", () => {
  it("needs no signature and no fee, and changes nothing", async () => {
    const driven = driveChain();
    const contents = driven.fill([transfer({ fee: "0" })]);
    const [result] = await driven.chain.trials.simulate({
      branch: driven.chain.head.hash,
      contents,
      signature: undefined,
    });
    expect(result!.metadata.operation_result).toMatchObject({
      status: "applied",
      consumed_milligas: "2168688",
    });
    expect(driven.balance(BOB.address)).toBe(100_000_000_000n);
  });

  it("shows in one answer no more than the receipts of one operation may hold", async () => {
    const driven = driveChain();
    const [made] = await driven.apply({
      kind: "origination",
      balance: "0",
      script: {
        code: parseScriptText("parameter unit; storage bytes; code { CDR; NIL operation; PAIR }"),
        storage: { bytes: "00".repeat(15_000) },
      },
      fee: "200000",
    });
    const { originated_contracts } = made!.operation_result as { originated_contracts: readonly string[] };
    const [destination] = originated_contracts;
    const call = transfer({ destination: destination!, amount: "0", gas_limit: "10000", fee: "2000" });
    const first = driven.chain.headContext.account(ALICE.address)!.counter + 1n;
    const branch = driven.chain.head.hash;
    const operations = Array.from({ length: 8 }, (_, i) => {
      const contents = driven.fill(
        Array.from({ length: 50 }, (_each, k) => ({ ...call, counter: `${first + BigInt(50 * i + k)}` })),
      );
      return { branch, contents, signature: decodeOperation(driven.sign(contents)).signature! };
    });
    const results = (await driven.chain.trials.preapply(operations)).flat();
    expect(JSON.stringify(results).length).toBeLessThan(10_000_000);
    expect(
      results.filter(({ metadata }) => metadata.operation_result.status === "backtracked").length,
    ).toBeLessThan(50);
    expect(
      errorIds(
        results.find(({ metadata }) => "errors" in metadata.operation_result)!.metadata.operation_result,
      ),
    ).toEqual(["sandbox.receipt_too_large"]);
    // Each by itself is applied.
    const [alone] = await driven.chain.trials.preapply(operations.slice(0, 1));
    expect(alone!.every(({ metadata }) => metadata.operation_result.status === "applied")).toBe(true);
  });

  it("refuses wrong signatures in preapply", async () => {
    const driven = driveChain();
    const contents = driven.fill([transfer()]);
    const signature = signatureBytes(
      "edsigtkpiSSschcaCt9pUVrpNPf7TTcgvgDEDD6NCEHMy8NNQJCGnMfLZzYoQj74yLjo9wx6MPVV29CvVzgi7qEcEUok3k7AuMg",
    )!;
    await expect(
      driven.chain.trials.preapply([{ branch: driven.chain.head.hash, contents, signature }]),
    ).rejects.toMatchObject({ errors: [{ id: "operation.invalid_signature" }] });
  });
});

describe("history", () => {
  it("has the state of any level it covers", async () => {
    const driven = driveChain();
    const levels: number[] = [];
    for (let i = 0; i < 5; i++) {
      await driven.apply(transfer());
      levels.push(driven.chain.head.level);
    }
    levels.forEach((level, i) => {
      expect(driven.chain.contextAt(driven.chain.history.at(level)!).account(BOB.address)!.balance).toBe(
        100_000_000_001n + BigInt(i),
      );
    });
  });

  it("forgets older blocks", () => {
    const driven = driveChain({ historyBlocks: 10 });
    for (let i = 0; i < 50; i++) driven.chain.bake();
    expect(driven.chain.history.at(driven.chain.head.level - 10)).toBeDefined();
    expect(driven.chain.history.at(driven.chain.head.level - 11)).toBeUndefined();
    expect(driven.chain.history.at(0)).toBeDefined();
  });
});
