// Gas, sizes and burns are those that clients of the real protocol recorded: Octez, tezt's `consensus_key`,
// `increase_paid_storage`, `sc_rollup`; Taquito's integration tests of estimates.
import { describe, expect, it } from "vitest";
import { encodeBase58 } from "../../tezos/base58.ts";
import { BLOCKS_PER_CYCLE } from "../../tezos/parameters.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { parseMichelineText, parseScriptText } from "../../tezos/micheline-text.ts";
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS } from "../../protocol/constants.ts";
import type { Metadata, Result } from "../operations/receipt.ts";
import { delegateOf } from "../operations/delegates.ts";
import { ALICE, BOB, type Draft, type DrivenChain, driveChain, errorIds } from "../testing/driven-chain.ts";
import { unlessApplied } from "../testing/results.ts";

/** An account that is nobody's delegate. */
const USER = BOOTSTRAP_ACCOUNTS[0]!;
const KEY = BOOTSTRAP_ACCOUNTS[5]!;

const applied = (metadata: readonly Metadata[]): Extract<Result, { status: "applied" | "backtracked" }> =>
  unlessApplied(metadata.at(-1)!.operation_result);

async function failure(driven: DrivenChain, draft: Draft, account = ALICE): Promise<readonly string[]> {
  const metadata = await driven.apply(draft, account);
  return errorIds(metadata.at(-1)!.operation_result);
}

const updates = (result: object): readonly object[] =>
  (result as { balance_updates?: readonly object[] }).balance_updates ?? [];

describe("increase_paid_storage", () => {
  it("burns for the bytes whatever the storage limit, and lets the contract grow by them for nothing", async () => {
    const driven = driveChain();
    const paid = (): number => driven.chain.headContext.account(BRIDGE_ADDRESS)!.contract!.paid;
    const before = paid();
    const result = applied(
      await driven.apply({
        kind: "increase_paid_storage",
        amount: "1000",
        destination: BRIDGE_ADDRESS,
        storage_limit: "0",
      }),
    );
    expect(paid()).toBe(before + 1000);
    expect(updates(result)).toMatchObject([
      { kind: "contract", contract: ALICE.address, change: "-250000" },
      { kind: "burned", category: "storage fees", change: "250000" },
    ]);
    // 168.582 with the smaller numbers of the recorded operation: a byte of it costs 0.033.
    expect(Number(result.consumed_milligas)).toBeGreaterThan(168_000);
    expect(Number(result.consumed_milligas)).toBeLessThan(169_000);
  });

  it.each([
    ["0", BRIDGE_ADDRESS, "contract.negative_storage_input"],
    ["-5", BRIDGE_ADDRESS, "contract.negative_storage_input"],
    ["5", "KT1PWx2mnDueood7fEmfbBDKx1D9BAnnXitn", "context.storage_error"],
  ])("of %s bytes for %s fails with %s", async (amount, destination, id) => {
    expect(await failure(driveChain(), { kind: "increase_paid_storage", amount, destination })).toEqual([id]);
  });
});

describe("keys of delegates", () => {
  it("are active three cycles later", async () => {
    const driven = driveChain();
    const result = applied(
      await driven.apply({
        kind: "update_consensus_key",
        pk: USER.publicKey,
        gas_limit: "269",
        fee: "285",
        storage_limit: "0",
      }),
    );
    expect(result).toMatchObject({ status: "applied", kind: true });
    expect(result.consumed_milligas).toBe("168913"); // as recorded
    expect(delegateOf(driven.chain.headContext, ALICE.address).consensus).toEqual({
      active: ALICE.publicKey,
      pending: [{ cycle: 3, value: USER.publicKey }],
    });
  });

  it("are of nobody else, and not what they are already", async () => {
    const driven = driveChain();
    expect(await failure(driven, { kind: "update_consensus_key", pk: USER.publicKey }, USER)).toEqual([
      "operation.update_consensus_key_on_unregistered_delegate",
    ]);
    expect(await failure(driven, { kind: "update_consensus_key", pk: ALICE.publicKey })).toEqual([
      "delegate.consensus_key.invalid_noop",
    ]);
    expect(await failure(driven, { kind: "update_consensus_key", pk: BOB.publicKey })).toEqual([
      "delegate.consensus_key.another_delegate",
    ]);
    await driven.apply({ kind: "update_consensus_key", pk: USER.publicKey });
    expect(await failure(driven, { kind: "update_consensus_key", pk: USER.publicKey }, BOB)).toEqual([
      "delegate.consensus_key.active",
    ]);
  });

  const BLPK = encodeBase58("BLpk", new Uint8Array(48).fill(7));
  const PROOF = encodeBase58("BLsig", new Uint8Array(96).fill(9));
  it.each<[string, Draft, string]>([
    ["a BLS key without proof", { kind: "update_consensus_key", pk: BLPK }, "missing_bls_proof"],
    [
      "another key with proof",
      { kind: "update_consensus_key", pk: USER.publicKey, proof: PROOF },
      "unused_bls_proof",
    ],
    [
      "a companion that is no BLS key",
      { kind: "update_companion_key", pk: USER.publicKey },
      "update_companion_key_not_tz4",
    ],
  ])("are refused for %s", async (_, draft, id) => {
    const driven = driveChain();
    await expect(driven.chain.inject(driven.sign(driven.fill([draft])))).rejects.toMatchObject({
      errors: [{ id: `validate.operation.${id}` }],
    });
  });
});

describe("operations that the protocol refuses as its constants are", () => {
  it("set_deposits_limit fails", async () => {
    expect(await failure(driveChain(), { kind: "set_deposits_limit", limit: "1000" })).toEqual([
      "operation.set_deposits_limit_when_automated_staking_off",
    ]);
  });

  it.each<[Draft, string]>([
    [
      {
        kind: "dal_publish_commitment",
        slot_header: {
          slot_index: 0,
          commitment: encodeBase58("sh", new Uint8Array(48)),
          commitment_proof: "00".repeat(96),
        },
      },
      "operation.dal_disabled",
    ],
    [
      { kind: "smart_rollup_originate", pvm_kind: "arith", kernel: "", parameters_ty: { prim: "unit" } },
      "operation.arith_pvm_disabled",
    ],
  ])("%o is not valid", async (draft, id) => {
    const driven = driveChain();
    await expect(driven.chain.inject(driven.sign(driven.fill([draft])))).rejects.toMatchObject({
      errors: [{ id }],
    });
  });
});

/** The kernel of the recorded origination has 408 bytes; what they are costs nothing. */
const KERNEL = "00".repeat(408);

it("a rollup that is originated has an address, and is paid for", async () => {
  const driven = driveChain();
  const result = applied(
    await driven.apply({
      kind: "smart_rollup_originate",
      pvm_kind: "wasm_2_0_0",
      kernel: KERNEL,
      parameters_ty: { prim: "string" },
      fee: "850",
      gas_limit: "2045",
      storage_limit: "6572",
    }),
  );
  expect(result).toMatchObject({
    address: expect.stringMatching(/^sr1/),
    genesis_commitment_hash: expect.stringMatching(/^src1/),
    size: "6552",
  });
  expect(updates(result)).toMatchObject([{ change: "-1638000" }, { change: "1638000" }]);
  expect(result.consumed_milligas).toBe("1944940"); // as recorded
});

describe("global constants", () => {
  const value = parseMichelineText("pair (address %addr) (option %key_hash key_hash)");
  const register = { kind: "register_global_constant", value } as const;

  it("are registered once, and paid for by their bytes and their key", async () => {
    const driven = driveChain();
    const result = applied(await driven.apply(register));
    expect(result).toMatchObject({ global_address: expect.stringMatching(/^expr/), storage_size: "95" });
    expect(updates(result)).toMatchObject([{ change: "-23750" }, { change: "23750" }]);
    expect(await failure(driven, register)).toEqual([
      "Expression_already_registered",
      "context.storage_error",
    ]);
  });

  it("stand in the code of contracts, which are kept with what they stand for", async () => {
    const driven = driveChain();
    const { global_address: hash } = applied(await driven.apply(register)) as { global_address: string };
    const nested = { kind: "register_global_constant", value: script(`constant "${hash}"`) } as const;
    const { global_address: outer } = applied(await driven.apply(nested)) as { global_address: string };
    const storage = parseMichelineText(`Pair "${ALICE.address}" None`);
    const originate = (code: Micheline): Draft => ({
      kind: "origination",
      balance: "0",
      script: { code, storage },
    });
    const written = applied(await driven.apply(originate(script(WRITTEN_OUT))));
    for (const code of [script(`constant "${hash}"`), parseMichelineText(`constant "${outer}"`)]) {
      const result = applied(await driven.apply(originate(code)));
      const [contract] = (result as { originated_contracts: readonly string[] }).originated_contracts;
      expect(driven.chain.headContext.account(contract!)!.contract!.code).toEqual(script(WRITTEN_OUT));
      expect(result.storage_size).toBe(written.storage_size);
      expect(Number(result.consumed_milligas)).toBeGreaterThan(Number(written.consumed_milligas));
      const called = await driven.apply({ kind: "transaction", amount: "1", destination: contract! });
      expect(applied(called).status).toBe("applied");
    }
  });

  it("that double each time are refused when they stand for too much", async () => {
    const driven = driveChain();
    let held: Micheline = { prim: "unit" };
    for (let i = 0; i < 20; i++) {
      const value: Micheline = { prim: "pair", args: [held, held] };
      const most = { gas_limit: "1040000", fee: "200000" };
      const [metadata] = await driven.apply({ kind: "register_global_constant", value, ...most });
      const result = metadata!.operation_result;
      if (result.status !== "applied") {
        expect(errorIds(result)).toEqual(["Expression_too_large"]);
        expect(i).toBe(14); // 2^16 - 1 nodes
        return;
      }
      held = {
        prim: "constant",
        args: [{ string: (result as { global_address?: string }).global_address! }],
      };
    }
    expect.unreachable();
  });

  it.each([
    ['constant "exprtZBwZUeYYYfUs9B9Rg2ywHezVHnCCnmF9WsDQVrs582dSK63dC"', "Nonexistent_global"],
    ['constant "expr"', "Badly_formed_constant_expression"],
    ["constant 5", "Badly_formed_constant_expression"],
    [
      'constant %a "exprtZBwZUeYYYfUs9B9Rg2ywHezVHnCCnmF9WsDQVrs582dSK63dC"',
      "Badly_formed_constant_expression",
    ],
  ])("%s fails with %s", async (written, id) => {
    const driven = driveChain();
    const code = script(written);
    const storage = { prim: "Unit" } as const;
    expect(await failure(driven, { kind: "origination", balance: "0", script: { code, storage } })).toEqual([
      id,
    ]);
  });

  const WRITTEN_OUT = "pair (address %addr) (option %key_hash key_hash)";
  const script = (storage: string) =>
    parseScriptText(`{ parameter unit; storage (${storage}); code { CDR; NIL operation; PAIR } }`);
});

describe("stakes", () => {
  const pseudo = (entrypoint: string, amount = "0", destination = USER.address): Draft => ({
    kind: "transaction",
    amount,
    destination,
    parameters: { entrypoint, value: { prim: "Unit" } },
  });
  const nextCycles = (driven: DrivenChain, cycles: number): void => {
    for (let level = 0; level < cycles * BLOCKS_PER_CYCLE; level++) driven.chain.bake();
  };
  const terms = (limit: number): Draft => ({
    kind: "transaction",
    amount: "0",
    destination: BOB.address,
    parameters: {
      entrypoint: "set_delegate_parameters",
      value: parseMichelineText(`Pair ${limit} 500000000 Unit`),
    },
  });

  it("of a delegate are frozen, and come back four cycles after they were asked for", async () => {
    const driven = driveChain();
    await driven.apply({ kind: "delegation", delegate: USER.address }, USER);
    const start = driven.balance(USER.address);
    const staked = applied(await driven.apply(pseudo("stake", "100000"), USER));
    expect(updates(staked)).toMatchObject([
      { kind: "contract", contract: USER.address, change: "-100000" },
      {
        kind: "freezer",
        category: "deposits",
        staker: { baker_own_stake: USER.address },
        change: "100000",
      },
    ]);
    const unstaked = applied(await driven.apply(pseudo("unstake", "60000"), USER));
    expect(updates(unstaked)).toMatchObject([
      { category: "deposits", change: "-60000" },
      {
        category: "unstaked_deposits",
        staker: { contract: USER.address, delegate: USER.address },
        cycle: 0,
        change: "60000",
      },
    ]);
    expect(updates(applied(await driven.apply(pseudo("finalize_unstake"), USER)))).toEqual([]);
    nextCycles(driven, 4);
    // Anybody may finish it.
    const finished = applied(await driven.apply(pseudo("finalize_unstake"), ALICE));
    expect(updates(finished)).toMatchObject([
      { category: "unstaked_deposits", cycle: 0, change: "-60000" },
      { kind: "contract", contract: USER.address, change: "60000" },
    ]);
    expect(driven.balance(USER.address)).toBe(start - 3n * 20_000n - 40_000n);
    expect(driven.chain.headContext.account(USER.address)).toMatchObject({
      stake: 40_000n,
      unstaked: undefined,
    });
  });

  it("of a delegate that stakes anew are first those on their way back", async () => {
    const driven = driveChain();
    await driven.apply(pseudo("unstake", "70000", ALICE.address));
    const before = driven.balance(ALICE.address);
    const staked = applied(await driven.apply(pseudo("stake", "100000", ALICE.address)));
    expect(updates(staked)).toMatchObject([
      { category: "unstaked_deposits", change: "-70000" },
      { category: "deposits", change: "70000" },
      { kind: "contract", change: "-30000" },
      { category: "deposits", change: "30000" },
    ]);
    expect(driven.balance(ALICE.address)).toBe(before - 30_000n - 20_000n);
  });

  it("of others are taken once the delegate's terms allow it, and asked back with a change of delegate", async () => {
    const driven = driveChain();
    await driven.apply({ kind: "delegation", delegate: BOB.address }, USER);
    const refused = ["operations.staking_to_delegate_that_refuses_external_staking"];
    expect(await failure(driven, pseudo("stake", "5"), USER)).toEqual(refused);
    await driven.apply(terms(5_000_000), BOB);
    nextCycles(driven, 5);
    expect(await failure(driven, pseudo("stake", "5"), USER)).toEqual(refused);
    nextCycles(driven, 1);
    const staked = applied(await driven.apply(pseudo("stake", "5"), USER));
    expect(updates(staked)).toMatchObject([
      { kind: "staking", category: "delegate_denominator", delegate: BOB.address, change: "5" },
      { kind: "staking", category: "delegator_numerator", delegator: USER.address, change: "5" },
      { kind: "contract", change: "-5" },
      { kind: "freezer", staker: { contract: USER.address, delegate: BOB.address }, change: "5" },
    ]);
    const changed = applied(await driven.apply({ kind: "delegation", delegate: ALICE.address }, USER));
    expect(updates(changed)).toMatchObject([
      { category: "delegate_denominator", change: "-5" },
      { category: "delegator_numerator", change: "-5" },
      { category: "deposits", change: "-5" },
      { category: "unstaked_deposits", cycle: 6, change: "5" },
    ]);
  });

  it.each<[string, Draft, string]>([
    ["without a delegate", pseudo("stake", "5"), "operations.stake_modification_with_no_delegate_set"],
    ["of nothing", pseudo("stake"), "contract.empty_transaction"],
    [
      "of somebody else",
      pseudo("stake", "5", BOB.address),
      "operations.invalid_self_transaction_destination",
    ],
    [
      "asked back by somebody else",
      pseudo("unstake", "5", BOB.address),
      "operations.invalid_self_transaction_destination",
    ],
    [
      "finished with an amount",
      pseudo("finalize_unstake", "5"),
      "operations.invalid_nonzero_transaction_amount",
    ],
    [
      "on terms of no delegate",
      { ...terms(1), destination: USER.address } as Draft,
      "operations.invalid_staking_parameters_sender",
    ],
  ])("%s fail", async (_, draft, id) => {
    expect(await failure(driveChain(), draft, USER)).toEqual([id]);
  });

  it("on impossible terms fail", async () => {
    expect(await failure(driveChain(), terms(-1), BOB)).toEqual(["operations.invalid_staking_parameters"]);
  });
});

describe("delegation", () => {
  it.each<[string, Draft, typeof USER, string]>([
    [
      "of a delegate to itself",
      { kind: "delegation", delegate: KEY.address },
      KEY,
      "delegate.already_active",
    ],
    [
      "of a delegate to another",
      { kind: "delegation", delegate: ALICE.address },
      KEY,
      "delegate.no_deletion",
    ],
    ["of a delegate to nobody", { kind: "delegation" }, KEY, "delegate.no_deletion"],
    [
      "to an account that is none",
      { kind: "delegation", delegate: "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg" },
      USER,
      "contract.manager.unregistered_delegate",
    ],
  ])("%s fails", async (_, draft, account, id) => {
    expect(await failure(driveChain(), draft, account)).toEqual([id]);
  });

  it("to the same delegate again fails", async () => {
    const driven = driveChain();
    const draft: Draft = { kind: "delegation", delegate: ALICE.address };
    expect(applied(await driven.apply(draft, USER)).status).toBe("applied");
    expect(await failure(driven, draft, USER)).toEqual(["delegate.unchanged"]);
  });
});
