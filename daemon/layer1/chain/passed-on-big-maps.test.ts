import { describe, expect, it } from "vitest";
import type { Address } from "../../tezos/address.ts";
import type { AppliedParts, Metadata } from "../operations/receipt.ts";
import { type DrivenChain, driveChain, errorIds } from "../testing/driven-chain.ts";
import { callApplied, callContract, entriesOf, originate, storageOf } from "../testing/driven-contracts.ts";

const KEEPER = "parameter (big_map nat nat); storage (big_map nat nat); code { CAR; NIL operation; PAIR }";

/** Sends its big map to a contract and keeps it with a further change, keeps none, or creates a contract with it. */
const SENDER = `
  parameter (or (address %share) (or (address %give) (or (unit %create) (or (address %fresh) (address %twice)))));
  storage (big_map nat nat);
  code {
    UNPAIR;
    IF_LEFT
      { CONTRACT (big_map nat nat); IF_NONE { UNIT; FAILWITH } {}; PUSH mutez 0; DUP 3; TRANSFER_TOKENS;
        SWAP; PUSH (option nat) (Some 99); PUSH nat 1; UPDATE; NIL operation; DIG 2; CONS; PAIR }
      { IF_LEFT
        { CONTRACT (big_map nat nat); IF_NONE { UNIT; FAILWITH } {}; PUSH mutez 0; DIG 2; TRANSFER_TOKENS;
          EMPTY_BIG_MAP nat nat; NIL operation; DIG 2; CONS; PAIR }
        { IF_LEFT
          { DROP; PUSH mutez 0; NONE key_hash;
            CREATE_CONTRACT { parameter unit; storage (big_map nat nat); code { CDR; NIL operation; PAIR } };
            DIP { DROP }; EMPTY_BIG_MAP nat nat; NIL operation; DIG 2; CONS; PAIR }
          { IF_LEFT
            { CONTRACT (big_map nat nat); IF_NONE { UNIT; FAILWITH } {}; PUSH mutez 0;
              EMPTY_BIG_MAP nat nat; PUSH (option nat) (Some 5); PUSH nat 5; UPDATE; TRANSFER_TOKENS;
              NIL operation; SWAP; CONS; PAIR }
            { CONTRACT (big_map nat nat); IF_NONE { UNIT; FAILWITH } {}; PUSH mutez 0; EMPTY_BIG_MAP nat nat; TRANSFER_TOKENS;
              NIL operation; DUP 2; CONS; SWAP; CONS; PAIR } } } } }`;

const ENTRIES = "{ Elt 1 11; Elt 2 22 }";

async function deploy(): Promise<{ driven: DrivenChain; sender: Address; keeper: Address }> {
  const driven = driveChain();
  const sender = await originate(driven, SENDER, ENTRIES); // big map 0
  return { driven, sender, keeper: await originate(driven, KEEPER, "{}") }; // big map 1
}

/** The changes of big maps in a receipt, without keys and values, and those of its internal operations. */
function diffs(metadata: Metadata): readonly object[] {
  const own = metadata.operation_result as AppliedParts;
  const internal = (metadata.internal_operation_results ?? []).map(({ result }) => result as AppliedParts);
  return [own, ...internal].map(({ lazy_storage_diff: all = [] }) =>
    all.map((one) => {
      const { id, diff } = one as {
        id: string;
        diff: { action: string; source?: string; updates?: object[] };
      };
      const from = diff.source === undefined ? "" : ` of ${diff.source}`;
      return `${diff.action} ${id}${from}${diff.updates?.length ? ` with ${diff.updates.length}` : ""}`;
    }),
  );
}

const temporaryIds = (driven: DrivenChain): readonly unknown[] =>
  [-1n, -2n, -3n].map((id) => driven.chain.contextAt(driven.chain.head).bigMap(id)).filter(Boolean);

describe("a big map in the argument of an emitted operation", () => {
  it("is a copy of what it was when it was sent, whatever the sender does to it then", async () => {
    const { driven, sender, keeper } = await deploy();
    const metadata = await callApplied(driven, sender, "share", `"${keeper}"`);
    expect(diffs(metadata)).toEqual([
      ["copy -1 of 0", "update 0 with 1"],
      ["remove 1", "copy 2 of -1"],
    ]);
    expect(metadata.internal_operation_results).toMatchObject([{ parameters: { value: { int: "-1" } } }]);
    expect(storageOf(driven, keeper)).toBe('{"int":"2"}');
    expect([entriesOf(driven, 0n), entriesOf(driven, 2n)]).toEqual(["1:99 2:22", "1:11 2:22"]);
    expect(temporaryIds(driven)).toEqual([]);
  });

  it("keeps its entries when the sender's storage lets it go", async () => {
    const { driven, sender, keeper } = await deploy();
    const metadata = await callApplied(driven, sender, "give", `"${keeper}"`);
    expect(diffs(metadata)).toEqual([
      ["copy -1 of 0", "remove 0", "alloc 2"],
      ["remove 1", "copy 3 of -1"],
    ]);
    expect(entriesOf(driven, 3n)).toBe("1:11 2:22");
  });

  it("is the first storage of a contract that is created with it", async () => {
    const { driven, sender } = await deploy();
    const metadata = await callApplied(driven, sender, "create", "Unit");
    expect(diffs(metadata)).toEqual([["copy -1 of 0", "remove 0", "alloc 2"], ["copy 3 of -1"]]);
    expect(entriesOf(driven, 3n)).toBe("1:11 2:22");
    expect(metadata.internal_operation_results).toMatchObject([{ script: { storage: { int: "-1" } } }]);
  });

  it("is paid for by who keeps it: entries as in the sender's storage", async () => {
    const { driven, sender, keeper } = await deploy();
    const { operation_result: own, internal_operation_results: internal } = await callApplied(
      driven,
      sender,
      "share",
      `"${keeper}"`,
    );
    expect((own as AppliedParts).paid_storage_size_diff).toBe("1"); // 99 takes a byte more than 11
    expect((internal![0]!.result as AppliedParts).paid_storage_size_diff).toBe("134"); // two entries of 67 bytes
  });

  it("may be a new one", async () => {
    const { driven, sender, keeper } = await deploy();
    const metadata = await callApplied(driven, sender, "fresh", `"${keeper}"`);
    expect(diffs(metadata)).toEqual([
      ["alloc -1 with 1", "update 0"],
      ["remove 1", "copy 2 of -1"],
    ]);
    expect(entriesOf(driven, 2n)).toBe("5:5");
  });

  it("gets the same ids again in the next operation", async () => {
    const { driven, sender, keeper } = await deploy();
    for (const made of [2, 3])
      expect(diffs(await callApplied(driven, sender, "fresh", `"${keeper}"`)).at(-1)).toContain(
        `copy ${made} of -1`,
      );
  });

  it("cannot be made twice: an operation that brings a new one and is emitted twice fails", async () => {
    const { driven, sender, keeper } = await deploy();
    const { operation_result: result } = await callContract(driven, sender, "twice", `"${keeper}"`);
    expect(errorIds(result)).toEqual(["context.storage_error"]);
  });
});

it("gives ids to the big maps in a map from its last key to its first", async () => {
  const driven = driveChain();
  const address = await originate(
    driven,
    "parameter unit; storage (map nat (big_map nat nat)); code { CDR; NIL operation; PAIR }",
    "{ Elt 1 { Elt 1 1 }; Elt 2 {} }",
  );
  expect(storageOf(driven, address)).toBe(
    '[{"prim":"Elt","args":[{"int":"1"},{"int":"1"}]},{"prim":"Elt","args":[{"int":"2"},{"int":"0"}]}]',
  );
});
