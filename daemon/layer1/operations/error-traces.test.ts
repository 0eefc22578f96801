// Error ids and their order, as in the real protocol (Octez, `validate.ml`, `apply.ml`, and the public tests of Taquito):
// clients show the last one, and programs compare it.
import { describe, expect, it } from "vitest";
import type { DevelopmentAccount } from "../../protocol/constants.ts";
import { signatureBytes } from "../../tezos/address.ts";
import { encodeBase58 } from "../../tezos/base58.ts";
import type { Contents } from "../../tezos/content.ts";
import { randomSecretKey } from "../../tezos/keys.ts";
import { parseMichelineText, parseScriptText } from "../../tezos/micheline-text.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { ALICE, BOB, type Draft, type DrivenChain, driveChain, errorIds } from "../testing/driven-chain.ts";
import type { OperationRefused } from "./operation-refused.ts";

const NOBODY = "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg";

const transfer = (fields: object = {}): Draft => ({
  kind: "transaction",
  destination: BOB.address,
  amount: "1",
  ...fields,
});

const call = (destination: string, value: string, entrypoint = "default"): Draft =>
  transfer({ destination, amount: "0", parameters: { entrypoint, value: parseMichelineText(value) } });

const originationOf = (script: string | Micheline, storage = "Unit", fields: object = {}): Draft => ({
  kind: "origination",
  balance: "0",
  script: {
    code: typeof script === "string" ? parseScriptText(script) : script,
    storage: parseMichelineText(storage),
  },
  ...fields,
});

async function originate(driven: DrivenChain, script: string, storage = "Unit"): Promise<string> {
  const [metadata] = await driven.apply(originationOf(script, storage));
  expect(metadata!.operation_result).toMatchObject({ status: "applied" });
  return (metadata!.operation_result as { originated_contracts: readonly string[] }).originated_contracts[0]!;
}

/** A new account with that many mutez, revealed at a fee of 20,000. */
async function account(driven: DrivenChain, mutez: number): Promise<DevelopmentAccount> {
  const key = randomSecretKey();
  const { address } = key.publicKey;
  await driven.apply(transfer({ destination: address, amount: String(mutez + 20_000) }));
  const made = { label: "made", address, publicKey: key.publicKey.text, secretKey: key.text };
  await driven.apply({ kind: "reveal", public_key: made.publicKey }, made);
  return made;
}

/** Errors with which the whole operation is refused. */
async function refusal(promise: Promise<unknown>): Promise<readonly string[]> {
  const error = await promise.then(
    () => expect.unreachable(),
    (reason: unknown) => reason as OperationRefused,
  );
  return error.errors.map(({ id }) => id);
}

const simulate = (driven: DrivenChain, contents: Contents): Promise<unknown> =>
  driven.chain.trials.simulate({ branch: driven.chain.head.hash, contents, signature: undefined });

describe("a receipt reports", () => {
  it("an amount above the balance", async () => {
    const driven = driveChain();
    const [metadata] = await driven.apply(transfer({ amount: "100000000000" }));
    expect(errorIds(metadata!.operation_result)).toEqual([
      "contract.balance_too_low",
      "tez.subtraction_underflow",
    ]);
    expect(metadata!.operation_result).toMatchObject({
      errors: [
        { kind: "temporary", contract: ALICE.address, balance: "99999980000", amount: "100000000000" },
        { kind: "temporary", amounts: ["99999980000", "100000000000"] },
      ],
    });
  });

  it("storage that cannot be paid for after everything has run, and backtracks it", async () => {
    const driven = driveChain();
    const [metadata] = await driven.apply(transfer({ destination: NOBODY, amount: "99999970000" }));
    expect(metadata!.operation_result).toMatchObject({
      status: "backtracked",
      allocated_destination_contract: true,
    });
    expect(errorIds(metadata!.operation_result)).toEqual([
      "contract.cannot_pay_storage_fee",
      "contract.balance_too_low",
      "tez.subtraction_underflow",
    ]);
    expect(driven.balance(NOBODY)).toBe(0n);
  });

  it("a fee that took the last mutez, by a reveal and by a transfer", async () => {
    const driven = driveChain();
    const key = randomSecretKey();
    const poor = {
      label: "poor",
      address: key.publicKey.address,
      publicKey: key.publicKey.text,
      secretKey: key.text,
    };
    await driven.apply(transfer({ destination: poor.address, amount: "40000" }));
    const metadata = await driven.apply([{ kind: "reveal", public_key: poor.publicKey }, transfer()], poor);
    expect(metadata.map(({ operation_result }) => errorIds(operation_result))).toEqual([
      ["implicit.empty_implicit_contract"],
      [],
    ]);
    const other = await account(driven, 20_000);
    const [transferred] = await driven.apply(transfer(), other);
    expect(errorIds(transferred!.operation_result)).toEqual([
      "contract.balance_too_low",
      "tez.subtraction_underflow",
    ]);
    expect(driven.chain.contextAt(driven.chain.head).account(other.address)).toBeUndefined();
  });

  it("delegates that are unregistered, unchanged, or impossible to remove", async () => {
    const driven = driveChain();
    const [one, other] = [await account(driven, 1_000_000), await account(driven, 1_000_000)];
    const ids = async (delegate: string | undefined, from = one): Promise<readonly string[]> => {
      const draft = { kind: "delegation", ...(delegate !== undefined && { delegate }) } as Draft;
      const [metadata] = await driven.apply(draft, from);
      return errorIds(metadata!.operation_result);
    };
    expect(await ids(other.address)).toEqual(["contract.manager.unregistered_delegate"]);
    expect(await ids(other.address, other)).toEqual([]);
    expect(await ids(other.address, other)).toEqual(["delegate.already_active"]);
    expect(await ids(undefined, other)).toEqual(["delegate.no_deletion"]);
    expect(await ids(other.address)).toEqual([]);
    expect(await ids(other.address)).toEqual(["delegate.unchanged"]);
  });

  it("an account with a delegate that would be left empty", async () => {
    const driven = driveChain();
    const baker = await account(driven, 1_000_000);
    await driven.apply({ kind: "delegation", delegate: baker.address }, baker);
    const poor = await account(driven, 1_000_000);
    await driven.apply({ kind: "delegation", delegate: baker.address }, poor);
    const rest = driven.balance(poor.address) - 20_000n;
    const [metadata] = await driven.apply(transfer({ amount: rest.toString() }), poor);
    expect(errorIds(metadata!.operation_result)).toEqual(["implicit.empty_implicit_delegated_contract"]);
    expect(driven.balance(poor.address)).toBe(rest);
  });

  it("a second reveal", async () => {
    const driven = driveChain();
    const [metadata] = await driven.apply({ kind: "reveal", public_key: ALICE.publicKey });
    expect(metadata!.operation_result).toMatchObject({
      status: "failed",
      errors: [{ kind: "branch", contract: ALICE.address }],
    });
    expect(errorIds(metadata!.operation_result)).toEqual(["contract.previously_revealed_key"]);
  });

  it.each<[string, Draft, readonly string[]]>([
    [
      "an implicit account with an unknown entrypoint",
      transfer({ parameters: { entrypoint: "mint", value: { prim: "Unit" } } }),
      ["michelson_v1.no_such_entrypoint"],
    ],
    [
      "an implicit account with an argument, before the amount is checked",
      transfer({ amount: "0", parameters: { entrypoint: "default", value: { int: "1" } } }),
      ["michelson_v1.bad_contract_parameter"],
    ],
    ["an implicit account with nothing", transfer({ amount: "0" }), ["contract.empty_transaction"]],
    [
      "storage with an unprintable text",
      originationOf("parameter unit; storage string; code { CDR; NIL operation; PAIR }", '"\u00e4"'),
      [
        "michelson_v1.ill_typed_data",
        "michelson_v1.invalid_constant",
        "michelson_v1.invalid_syntactic_constant",
        "michelson_v1.non_printable_character",
      ],
    ],
    [
      "a comb with one wrong element",
      originationOf(
        "parameter unit; storage (pair nat nat nat); code { CDR; NIL operation; PAIR }",
        'Pair 1 2 "x"',
      ),
      [
        "michelson_v1.ill_typed_data",
        "michelson_v1.invalid_constant",
        "michelson_v1.invalid_constant",
        "michelson_v1.invalid_constant",
        "michelson_v1.invalid_expression_kind",
      ],
    ],
    [
      "duplicate entrypoints",
      originationOf("parameter (or (unit %a) (unit %a)); storage unit; code { CDR; NIL operation; PAIR }"),
      ["michelson_v1.ill_formed_type", "michelson_v1.duplicate_entrypoint"],
    ],
    [
      "SUB on mutez",
      originationOf(
        "parameter unit; storage unit; code { CDR; AMOUNT; AMOUNT; SUB; DROP; NIL operation; PAIR }",
      ),
      ["michelson_v1.ill_typed_contract", "michelson_v1.deprecated_instruction"],
    ],
    [
      "a duplicated ticket",
      originationOf(
        "parameter (ticket nat); storage unit; code { CAR; DUP; DROP 2; UNIT; NIL operation; PAIR }",
      ),
      ["michelson_v1.ill_typed_contract", "michelson_v1.non_dupable_type", "michelson_v1.unexpected_ticket"],
    ],
    [
      "a packed ticket",
      originationOf(
        "parameter (ticket nat); storage unit; code { CAR; PACK; DROP; UNIT; NIL operation; PAIR }",
      ),
      ["michelson_v1.ill_typed_contract", "michelson_v1.unpackable_type", "michelson_v1.unexpected_ticket"],
    ],
    [
      "too little gas for a script",
      originationOf(
        `parameter unit; storage unit; code { CDR; ${"PUSH nat 1; DROP; ".repeat(300)} NIL operation; PAIR }`,
        "Unit",
        { gas_limit: "600" },
      ),
      ["michelson_v1.ill_typed_contract", "gas_exhausted.operation"],
    ],
  ])("%s", async (_, draft, ids) => {
    const [metadata] = await driveChain().apply(draft);
    expect(errorIds(metadata!.operation_result)).toEqual(ids);
  });

  it("a call with wrong arguments, wrong entrypoints and forged tickets", async () => {
    const driven = driveChain();
    const target = await originate(
      driven,
      "parameter (or (nat %a) (ticket %b nat)); storage unit; code { CDR; NIL operation; PAIR }",
    );
    const ids = async (draft: Draft): Promise<readonly string[]> =>
      errorIds((await driven.apply(draft))[0]!.operation_result);
    expect(await ids(call(target, "-1", "a"))).toEqual([
      "michelson_v1.bad_contract_parameter",
      "michelson_v1.invalid_constant",
      "michelson_v1.invalid_syntactic_constant",
    ]);
    expect(await ids(call(target, "1", "c"))).toEqual([
      "michelson_v1.bad_contract_parameter",
      "michelson_v1.no_such_entrypoint",
    ]);
    expect(await ids(call(target, 'Pair "KT18amZmM5W7qDWVt2pH6uj7sCEd3kbzLrHT" 1 1', "b"))).toEqual([
      "michelson_v1.bad_contract_parameter",
      "michelson_v1.invalid_constant",
      "michelson_v1.unexpected_forged_value",
    ]);
  });

  it("failures of a view as the calling contract's", async () => {
    const driven = driveChain();
    const viewed = await originate(
      driven,
      'parameter unit; storage unit; code { CDR; NIL operation; PAIR }; view "no" unit unit { FAILWITH }',
    );
    const asker = await originate(
      driven,
      `parameter unit; storage unit; code { CDR; PUSH address "${viewed}"; UNIT; VIEW "no" unit; DROP; NIL operation; PAIR }`,
    );
    const [metadata] = await driven.apply(call(asker, "Unit"));
    expect(errorIds(metadata!.operation_result)).toEqual([
      "michelson_v1.runtime_error",
      "michelson_v1.script_rejected",
    ]);
    expect(metadata!.operation_result).toMatchObject({ errors: [{ contract_handle: asker }, {}] });
  });

  it("a failed internal operation in its own receipt", async () => {
    const driven = driveChain();
    const sender = await originate(
      driven,
      `parameter unit; storage unit; code { CDR; PUSH address "${BOB.address}"; CONTRACT unit; IF_NONE { UNIT; FAILWITH } {};
       PUSH mutez 5; UNIT; TRANSFER_TOKENS; NIL operation; SWAP; CONS; PAIR }`,
    );
    const [metadata] = await driven.apply(call(sender, "Unit"));
    expect(metadata!.operation_result).toMatchObject({ status: "backtracked" });
    expect(errorIds(metadata!.operation_result)).toEqual([]);
    expect(errorIds(metadata!.internal_operation_results![0]!.result)).toEqual([
      "contract.balance_too_low",
      "tez.subtraction_underflow",
    ]);
  });
});

describe("an operation is refused for", () => {
  it("fees above the balance", async () => {
    const driven = driveChain();
    const contents = driven.fill([transfer({ fee: "100000000001" })]);
    expect(await refusal(simulate(driven, contents))).toEqual([
      "contract.balance_too_low",
      "tez.subtraction_underflow",
    ]);
  });

  it("a fee that empties the account before further contents", async () => {
    const driven = driveChain();
    const poor = await account(driven, 30_000);
    const contents = driven.fill([transfer({ fee: "30000" }), transfer({ fee: "0" })], poor);
    expect(await refusal(simulate(driven, contents))).toEqual(["implicit.empty_implicit_contract"]);
  });

  it("gas below the cost of itself, its signature and its expressions", async () => {
    const driven = driveChain();
    const ids = (draft: Draft): Promise<readonly string[]> =>
      refusal(driven.chain.inject(driven.sign(driven.fill([draft]))));
    expect(await ids(transfer({ gas_limit: "100" }))).toEqual([
      "validate.operation.insufficient_gas_for_manager",
      "gas_exhausted.operation",
    ]);
    const long = { parameters: { entrypoint: "default", value: { bytes: "00".repeat(10_000) } } };
    expect(await ids(transfer({ gas_limit: "600", fee: "30000", ...long }))).toEqual([
      "validate.operation.gas_quota_exceeded_init_deserialize",
      "gas_exhausted.operation",
    ]);
    const large = { gas_limit: "1000000", fee: "200000" };
    expect(
      await refusal(driven.chain.inject(driven.sign(driven.fill([transfer(large), transfer(large)])))),
    ).toEqual(["gas_limit_too_high", "gas_exhausted.block"]);
  });

  it("an unneeded proof of possession", async () => {
    const driven = driveChain();
    const proof = encodeBase58("BLsig", new Uint8Array(96).fill(9));
    const contents = driven.fill([{ kind: "reveal", public_key: ALICE.publicKey, proof }]);
    expect(await refusal(simulate(driven, contents))).toEqual(["validate.operation.unused_bls_proof"]);
  });

  it("its counter, before its signature is checked, in simulation, preapply and injection", async () => {
    const driven = driveChain();
    await driven.apply(transfer());
    const contents = driven.fill([transfer({ counter: "1" })]);
    const signature = signatureBytes(
      "edsigtkpiSSschcaCt9pUVrpNPf7TTcgvgDEDD6NCEHMy8NNQJCGnMfLZzYoQj74yLjo9wx6MPVV29CvVzgi7qEcEUok3k7AuMg",
    )!;
    const branch = driven.chain.head.hash;
    for (const tried of [
      simulate(driven, contents),
      driven.chain.trials.preapply([{ branch, contents, signature }]),
      driven.chain.inject(driven.sign(contents, BOB)),
    ])
      expect(await refusal(tried)).toEqual(["contract.counter_in_the_past"]);
  });
});
