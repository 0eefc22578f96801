// Burns for storage: figures of the real protocol, from public tests of Taquito and the rules of Octez
// (`fees_storage.ml`, `ticket_storage.ml`).
import { describe, expect, it } from "vitest";
import { parseMichelineText, parseScriptText } from "../../tezos/micheline-text.ts";
import { ALICE, BOB, type Draft, type DrivenChain, driveChain } from "../testing/driven-chain.ts";
import type { AppliedParts, BalanceUpdate, InternalReceipt, Metadata } from "./receipt.ts";

const originationOf = (script: string, storage: string, balance = "0"): Draft => ({
  kind: "origination",
  balance,
  script: { code: parseScriptText(script), storage: parseMichelineText(storage) },
});

const appliedParts = (metadata: Metadata | InternalReceipt): AppliedParts => {
  const result = "operation_result" in metadata ? metadata.operation_result : metadata.result;
  expect(result).toMatchObject({ status: "applied" });
  return result as AppliedParts;
};

async function originate(driven: DrivenChain, script: string, storage = "Unit"): Promise<string> {
  const [metadata] = await driven.apply(originationOf(script, storage));
  return appliedParts(metadata!).originated_contracts![0]!;
}

const call = (destination: string, value: string): Draft => ({
  kind: "transaction",
  destination,
  amount: "0",
  parameters: { entrypoint: "default", value: parseMichelineText(value) },
});

/** Kinds and changes of balance updates, in order. */
const changes = (updates: readonly BalanceUpdate[] = []): readonly string[] =>
  updates.map(({ kind, contract, change }) => `${kind === "burned" ? "burned" : contract} ${change}`);

describe("an origination", () => {
  it.each([
    [
      'parameter string; storage string; code { CAR; PUSH string "Hello "; CONCAT; NIL operation; PAIR }',
      '"test"',
      "62",
    ],
    ["parameter unit; storage unit; code { CDR; NIL operation; PAIR }", "Unit", "38"],
  ])("counts the lengths of code and storage: %s", async (script, storage, bytes) => {
    const [metadata] = await driveChain().apply(originationOf(script, storage));
    expect(appliedParts(metadata!)).toMatchObject({ storage_size: bytes, paid_storage_size_diff: bytes });
  });

  it("burns for its bytes, then for the new contract, then moves tez", async () => {
    const driven = driveChain();
    const script = "parameter unit; storage unit; code { CDR; NIL operation; PAIR }";
    const [metadata] = await driven.apply(originationOf(script, "Unit", "5"));
    const { balance_updates, originated_contracts } = appliedParts(metadata!);
    expect(changes(balance_updates)).toEqual([
      `${ALICE.address} -9500`,
      "burned 9500",
      `${ALICE.address} -64250`,
      "burned 64250",
      `${ALICE.address} -5`,
      `${originated_contracts![0]} 5`,
    ]);
  });
});

describe("a transfer", () => {
  it("to a new account moves tez, then burns for the account", async () => {
    const driven = driveChain();
    const receiver = "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg";
    const [metadata] = await driven.apply({ kind: "transaction", destination: receiver, amount: "7" });
    expect(changes(appliedParts(metadata!).balance_updates)).toEqual([
      `${ALICE.address} -7`,
      `${receiver} 7`,
      `${ALICE.address} -64250`,
      "burned 64250",
    ]);
  });

  it("that enlarges a storage burns for bytes not paid for before", async () => {
    const driven = driveChain();
    const contract = await originate(
      driven,
      "parameter bytes; storage bytes; code { CAR; NIL operation; PAIR }",
      "0x",
    );
    const diffs: (string | undefined)[] = [];
    for (const value of ["0x001122", "0x00", "0x00112233"]) {
      const [metadata] = await driven.apply(call(contract, value));
      diffs.push(appliedParts(metadata!).paid_storage_size_diff);
    }
    expect(diffs).toEqual(["3", undefined, "1"]);
  });
});

describe("tickets", () => {
  /** Mints a ticket of five and sends it to the given contract. */
  const minter = `parameter (contract (ticket nat)); storage unit;
    code { CAR; PUSH mutez 0; PUSH nat 5; PUSH nat 1; TICKET; IF_NONE { UNIT; FAILWITH } {};
      TRANSFER_TOKENS; UNIT; NIL operation; DIG 2; CONS; PAIR }`;

  it("take 66 bytes once for a new owner, at the sender's expense", async () => {
    const driven = driveChain();
    const contract = await originate(driven, minter);
    const outcomes: (string | undefined)[] = [];
    for (let i = 0; i < 2; i++) {
      const [metadata] = await driven.apply(call(contract, `"${BOB.address}"`));
      outcomes.push(appliedParts(metadata!).paid_storage_size_diff);
      const [internal] = metadata!.internal_operation_results!;
      expect(appliedParts(internal!).ticket_receipt).toMatchObject([
        { updates: [{ account: BOB.address, amount: "5" }] },
      ]);
    }
    expect(outcomes).toEqual(["66", undefined]);
  });

  it("of another ticketer cannot be multiplied", async () => {
    const driven = driveChain();
    const contract = await originate(driven, minter);
    await driven.apply(call(contract, `"${ALICE.address}"`));
    const keeper = await originate(
      driven,
      "parameter (ticket nat); storage (list (ticket nat)); code { UNPAIR; CONS; NIL operation; PAIR }",
      "{}",
    );
    const [metadata] = await driven.apply({
      kind: "transfer_ticket",
      ticket_contents: { int: "1" },
      ticket_ty: { prim: "nat" },
      ticket_ticketer: contract,
      ticket_amount: "2",
      destination: keeper,
      entrypoint: "default",
    });
    expect(appliedParts(metadata!).ticket_updates).toMatchObject([
      { updates: [{ account: ALICE.address, amount: "-2" }] },
    ]);
    // The contract receives it as the argument of an internal operation.
    expect(metadata!.internal_operation_results).toMatchObject([
      { kind: "transaction", source: ALICE.address, destination: keeper },
    ]);
    expect(appliedParts(metadata!.internal_operation_results![0]!).ticket_receipt).toMatchObject([
      { updates: [{ account: keeper, amount: "2" }] },
    ]);
  });
});
