import { describe, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../../protocol/constants.ts";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import { BLOCKS_PER_CYCLE } from "../../tezos/parameters.ts";
import { ALICE, BOB, type Draft, type DrivenChain, driveChain } from "../testing/driven-chain.ts";
import { appliedResult, failure, updates } from "../testing/results.ts";

/** An account that is not a delegate. */
const USER = BOOTSTRAP_ACCOUNTS[0];
const KEY = BOOTSTRAP_ACCOUNTS[5];

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

  it("of a delegate are frozen, and return four cycles after the request", async () => {
    const driven = driveChain();
    await driven.apply({ kind: "delegation", delegate: USER.address }, USER);
    const start = driven.balance(USER.address);
    const staked = appliedResult(await driven.apply(pseudo("stake", "100000"), USER));
    expect(updates(staked)).toMatchObject([
      { kind: "contract", contract: USER.address, change: "-100000" },
      {
        kind: "freezer",
        category: "deposits",
        staker: { baker_own_stake: USER.address },
        change: "100000",
      },
    ]);
    const unstaked = appliedResult(await driven.apply(pseudo("unstake", "60000"), USER));
    expect(updates(unstaked)).toMatchObject([
      { category: "deposits", change: "-60000" },
      {
        category: "unstaked_deposits",
        staker: { contract: USER.address, delegate: USER.address },
        cycle: 0,
        change: "60000",
      },
    ]);
    expect(updates(appliedResult(await driven.apply(pseudo("finalize_unstake"), USER)))).toEqual([]);
    nextCycles(driven, 4);
    // Anyone may finalize it.
    const finished = appliedResult(await driven.apply(pseudo("finalize_unstake"), ALICE));
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

  it("of a delegate that stakes again come from its unstake requests first", async () => {
    const driven = driveChain();
    await driven.apply(pseudo("unstake", "70000", ALICE.address));
    const before = driven.balance(ALICE.address);
    const staked = appliedResult(await driven.apply(pseudo("stake", "100000", ALICE.address)));
    expect(updates(staked)).toMatchObject([
      { category: "unstaked_deposits", change: "-70000" },
      { category: "deposits", change: "70000" },
      { kind: "contract", change: "-30000" },
      { category: "deposits", change: "30000" },
    ]);
    expect(driven.balance(ALICE.address)).toBe(before - 30_000n - 20_000n);
  });

  it("of others are accepted once the delegate's terms allow it, and unstaked by a change of delegate", async () => {
    const driven = driveChain();
    await driven.apply({ kind: "delegation", delegate: BOB.address }, USER);
    const refused = ["operations.staking_to_delegate_that_refuses_external_staking"];
    expect(await failure(driven, pseudo("stake", "5"), USER)).toEqual(refused);
    await driven.apply(terms(5_000_000), BOB);
    nextCycles(driven, 5);
    expect(await failure(driven, pseudo("stake", "5"), USER)).toEqual(refused);
    nextCycles(driven, 1);
    const staked = appliedResult(await driven.apply(pseudo("stake", "5"), USER));
    expect(updates(staked)).toMatchObject([
      { kind: "staking", category: "delegate_denominator", delegate: BOB.address, change: "5" },
      { kind: "staking", category: "delegator_numerator", delegator: USER.address, change: "5" },
      { kind: "contract", change: "-5" },
      { kind: "freezer", staker: { contract: USER.address, delegate: BOB.address }, change: "5" },
    ]);
    const changed = appliedResult(await driven.apply({ kind: "delegation", delegate: ALICE.address }, USER));
    expect(updates(changed)).toMatchObject([
      { category: "delegate_denominator", change: "-5" },
      { category: "delegator_numerator", change: "-5" },
      { category: "deposits", change: "-5" },
      { category: "unstaked_deposits", cycle: 6, change: "5" },
    ]);
  });

  it("unstaked from a former delegate keep an account from staking, also as a delegate, until they are finalizable", async () => {
    const driven = driveChain();
    await driven.apply(terms(5_000_000), BOB);
    await driven.apply({ kind: "delegation", delegate: BOB.address }, USER);
    nextCycles(driven, 6);
    await driven.apply(pseudo("stake", "500"), USER);
    await driven.apply({ kind: "delegation", delegate: USER.address }, USER); // unstakes them, in cycle 6
    const refused = ["operation.cannot_stake_with_unfinalizable_unstake_requests_to_another_delegate"];
    expect(await failure(driven, pseudo("stake", "5"), USER)).toEqual(refused);
    nextCycles(driven, 3);
    expect(await failure(driven, pseudo("stake", "5"), USER)).toEqual(refused);
    nextCycles(driven, 1);
    expect(updates(appliedResult(await driven.apply(pseudo("stake", "5"), USER)))).toMatchObject([
      {
        category: "unstaked_deposits",
        staker: { contract: USER.address, delegate: BOB.address },
        cycle: 6,
        change: "-500",
      },
      { kind: "contract", contract: USER.address, change: "500" },
      { kind: "contract", contract: USER.address, change: "-5" },
      { category: "deposits", staker: { baker_own_stake: USER.address }, change: "5" },
    ]);
  });

  it.each<[string, Draft, string]>([
    ["without a delegate", pseudo("stake", "5"), "operations.stake_modification_with_no_delegate_set"],
    ["of nothing", pseudo("stake"), "contract.empty_transaction"],
    [
      "of another account",
      pseudo("stake", "5", BOB.address),
      "operations.invalid_self_transaction_destination",
    ],
    [
      "unstaked by another account",
      pseudo("unstake", "5", BOB.address),
      "operations.invalid_self_transaction_destination",
    ],
    [
      "finalized with an amount",
      pseudo("finalize_unstake", "5"),
      "operations.invalid_nonzero_transaction_amount",
    ],
    [
      "with terms of an account that is not a delegate",
      { ...terms(1), destination: USER.address } as Draft,
      "operations.invalid_staking_parameters_sender",
    ],
  ])("%s fail", async (_, draft, id) => {
    expect(await failure(driveChain(), draft, USER)).toEqual([id]);
  });

  it("with impossible terms fail", async () => {
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
      "to an account that is not a delegate",
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
    expect(appliedResult(await driven.apply(draft, USER)).status).toBe("applied");
    expect(await failure(driven, draft, USER)).toEqual(["delegate.unchanged"]);
  });
});
