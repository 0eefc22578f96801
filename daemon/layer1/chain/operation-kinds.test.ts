// Gas, sizes and burns as recorded by clients of the real protocol: Octez, tezt's `consensus_key`,
// `increase_paid_storage`, `sc_rollup`; Taquito's integration tests of estimates.
import { describe, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS } from "../../protocol/constants.ts";
import { encodeBase58 } from "../../tezos/base58.ts";
import { parseMichelineText, parseScriptText } from "../../tezos/micheline-text.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { delegateOf } from "../operations/delegates.ts";
import { ALICE, BOB, type Draft, driveChain, errorIds } from "../testing/driven-chain.ts";
import { appliedResult, failure, updates } from "../testing/results.ts";

/** An account that is not a delegate. */
const USER = BOOTSTRAP_ACCOUNTS[0];

describe("increase_paid_storage", () => {
  it("burns for the bytes whatever the storage limit, and lets the contract grow by them for free", async () => {
    const driven = driveChain();
    const paidBytes = (): number => driven.chain.headContext.account(BRIDGE_ADDRESS)!.contract!.paid;
    const before = paidBytes();
    const result = appliedResult(
      await driven.apply({
        kind: "increase_paid_storage",
        amount: "1000",
        destination: BRIDGE_ADDRESS,
        storage_limit: "0",
      }),
    );
    expect(paidBytes()).toBe(before + 1000);
    expect(updates(result)).toMatchObject([
      { kind: "contract", contract: ALICE.address, change: "-250000" },
      { kind: "burned", category: "storage fees", change: "250000" },
    ]);
    // 168.582 with the smaller numbers of the recorded operation; each extra byte costs 0.033.
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
  it("become active three cycles later", async () => {
    const driven = driveChain();
    const result = appliedResult(
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

  it("must be unused and differ from the current one", async () => {
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
      "a companion that is not a BLS key",
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

describe("operations that the protocol refuses under its current constants", () => {
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
  ])("%o is invalid", async (draft, id) => {
    const driven = driveChain();
    await expect(driven.chain.inject(driven.sign(driven.fill([draft])))).rejects.toMatchObject({
      errors: [{ id }],
    });
  });
});

/** The kernel of the recorded origination has 408 bytes; their values do not affect the cost. */
const KERNEL = "00".repeat(408);

it("an originated rollup gets an address and pays for its storage", async () => {
  const driven = driveChain();
  const result = appliedResult(
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

  it("are registered once, and pay for their bytes and their key", async () => {
    const driven = driveChain();
    const result = appliedResult(await driven.apply(register));
    expect(result).toMatchObject({ global_address: expect.stringMatching(/^expr/), storage_size: "95" });
    expect(updates(result)).toMatchObject([{ change: "-23750" }, { change: "23750" }]);
    expect(await failure(driven, register)).toEqual([
      "Expression_already_registered",
      "context.storage_error",
    ]);
  });

  it("are expanded in the stored code of contracts", async () => {
    const driven = driveChain();
    const { global_address: hash } = appliedResult(await driven.apply(register)) as {
      global_address: string;
    };
    const nested = { kind: "register_global_constant", value: script(`constant "${hash}"`) } as const;
    const { global_address: outer } = appliedResult(await driven.apply(nested)) as { global_address: string };
    const storage = parseMichelineText(`Pair "${ALICE.address}" None`);
    const originate = (code: Micheline): Draft => ({
      kind: "origination",
      balance: "0",
      script: { code, storage },
    });
    const written = appliedResult(await driven.apply(originate(script(WRITTEN_OUT))));
    for (const code of [script(`constant "${hash}"`), parseMichelineText(`constant "${outer}"`)]) {
      const result = appliedResult(await driven.apply(originate(code)));
      const [contract] = (result as { originated_contracts: readonly string[] }).originated_contracts;
      expect(driven.chain.headContext.account(contract!)!.contract!.code).toEqual(script(WRITTEN_OUT));
      expect(result.storage_size).toBe(written.storage_size);
      expect(Number(result.consumed_milligas)).toBeGreaterThan(Number(written.consumed_milligas));
      const called = await driven.apply({ kind: "transaction", amount: "1", destination: contract! });
      expect(appliedResult(called).status).toBe("applied");
    }
  });

  it("that double each time are refused when they expand too far", async () => {
    const driven = driveChain();
    let held: Micheline = { prim: "unit" };
    for (let i = 0; i < 20; i++) {
      const twice: Micheline = { prim: "pair", args: [held, held] };
      const most = { gas_limit: "1040000", fee: "200000" };
      const [metadata] = await driven.apply({ kind: "register_global_constant", value: twice, ...most });
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
