import { beforeEach, describe, expect, it } from "vitest";
import { processorTime } from "../../../test/support/processor-time.ts";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import { UNMETERED } from "../human/meter.ts";
import { applyBlock } from "./apply-block.ts";
import { ChainIndex } from "./chain-index.ts";
import type { RpcBlock, RpcContent } from "./rpc-block.ts";
import { type ShownValue } from "./shown-value.ts";

const [ALICE, BOB] = ["tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb", "tz1aSkwEot3L2kmUvcoxzjMomb9mvBNuzFK6"];
const [KEEPER, TOKEN] = ["KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ", "KT1GFiPkkTjd14oHe6MrBPiRh5djzRkVWcni"];

let index: ChainIndex;
beforeEach(() => (index = new ChainIndex(10)));

const block = (level: number, ...contents: readonly object[]): RpcBlock =>
  ({
    protocol: "P",
    chain_id: "N",
    hash: `B${level}`,
    header: { level, proto: 1, predecessor: `B${level - 1}`, timestamp: `2026-01-01T00:00:0${level % 10}Z` },
    operations: [[], [], [], contents.map((content, i) => ({ hash: `o${level}${i}`, contents: [content] }))],
  }) as unknown as RpcBlock;
const applied = { status: "applied" };
const call = (destination: string, result: object = {}, rest: object = {}): Partial<RpcContent> =>
  ({
    kind: "transaction",
    source: ALICE,
    fee: "100",
    counter: "5",
    amount: "7",
    destination,
    metadata: { operation_result: { ...applied, ...result } },
    ...rest,
  }) as Partial<RpcContent>;

function contract(address: string, parameter: string, storage: string, value: string): void {
  const code = [
    { prim: "parameter", args: [parseMichelineText(parameter)] },
    { prim: "storage", args: [parseMichelineText(storage)] },
    { prim: "code", args: [[]] },
  ];
  index.addContract(
    address,
    { code, storage: parseMichelineText(value) },
    { level: 1, time: "2026-01-01T00:00:00Z", creator: null },
  );
}

describe("makes rows for", () => {
  it("a transfer, with who took part and the fees of the block", () => {
    applyBlock(
      index,
      block(1, call(BOB), call(BOB, { status: "failed", errors: [{ id: "proto.024.a.b", with: 1 }] })),
    );
    const [sent, failed] = [...index.operations];
    expect(sent).toMatchObject({
      type: "transaction",
      level: 1,
      counter: 5,
      sender: { address: ALICE },
      target: { address: BOB },
      amount: 7n,
      bakerFee: 100n,
      status: "applied",
      hasInternals: false,
    });
    expect(failed).toMatchObject({ status: "failed", errors: [{ type: "a.b", with: 1 }] });
    expect(index.head).toMatchObject({ level: 1, fees: 200n });
    expect(index.accounts.get(BOB)!.counts.get("transaction")).toBe(2);
  });

  it("a call, with its innermost entrypoint, its events and its originations", () => {
    contract(KEEPER, "or (nat %add) (or (unit %a) (string %say))", "nat", "0");
    const inner = [
      {
        kind: "event",
        source: KEEPER,
        tag: "t",
        type: { prim: "nat" },
        payload: { int: "3" },
        result: applied,
      },
      { kind: "transaction", source: KEEPER, destination: BOB, amount: "1", nonce: 0, result: applied },
      { kind: "delegation", source: KEEPER, delegate: BOB, nonce: 1, result: { status: "backtracked" } },
    ];
    const parameters = { entrypoint: "default", value: parseMichelineText('Right (Right "hello")') };
    const result = { storage: { int: "8" }, consumed_milligas: "1001", paid_storage_size_diff: "2" };
    const metadata = { operation_result: { ...applied, ...result }, internal_operation_results: inner };
    applyBlock(index, block(1, call(KEEPER, {}, { parameters, metadata })));
    const [called, paid, delegated] = [...index.operations];
    expect(called).toMatchObject({
      parameter: { entrypoint: "say" },
      gasUsed: 2,
      storageUsed: 2,
      storageFee: 500n,
      hasInternals: true,
    });
    expect(called!.parameter!.value!.human(UNMETERED)).toBe("hello");
    expect((called!["storage"] as ShownValue).human(UNMETERED)).toBe("8");
    expect(paid).toMatchObject({
      initiator: { address: ALICE },
      sender: { address: KEEPER },
      nonce: 0,
      bakerFee: 0n,
    });
    expect(delegated).toMatchObject({ type: "delegation", status: "backtracked" });
    const [event] = [...index.events];
    expect(event).toMatchObject({ contract: { address: KEEPER }, tag: "t", transactionId: called!.id });
    expect(event!.payload!.human(UNMETERED)).toBe("3");
  });
});

describe("a temporary big map", () => {
  const bigMaps = (result: object): object => call(KEEPER, result);
  const diff = (id: string, change: object): object => ({ kind: "big_map", id, diff: change });
  const types = { key_type: { prim: "nat" }, value_type: { prim: "nat" } };

  it("ends with its operation: the next one reuses the number for its own", () => {
    contract(KEEPER, "unit", "big_map nat nat", "0");
    const passed = diff("-1", {
      action: "alloc",
      updates: [{ key_hash: "k", key: { int: "1" }, value: { int: "2" } }],
      ...types,
    });
    const kept = diff("4", { action: "copy", source: "-1", updates: [] });
    applyBlock(
      index,
      block(1, bigMaps({ lazy_storage_diff: [passed] }), bigMaps({ lazy_storage_diff: [kept] })),
    );
    expect(index.bigMaps.get(4)).toBeUndefined();
    expect(index.temporaryMaps.size).toBe(0);
    applyBlock(index, block(2, bigMaps({ lazy_storage_diff: [passed, kept] })));
    expect(index.bigMaps.get(4)!.activeKeys).toBe(1);
  });

  it("shares its memory: a map of 20,000 keys passed 1,500 times", () => {
    contract(KEEPER, "unit", "big_map nat nat", "0");
    const updates = Array.from({ length: 20_000 }, (_, i) => ({
      key_hash: `k${i}`,
      key: { int: `${i}` },
      value: { int: "1" },
    }));
    applyBlock(index, block(1, bigMaps({ lazy_storage_diff: [diff("0", { action: "update", updates })] })));
    const before = index.bytes;
    const copies = Array.from({ length: 1_500 }, (_, i) =>
      diff(`-${i + 1}`, { action: "copy", source: "0", updates: [] }),
    );
    const begun = processorTime();
    applyBlock(index, block(2, bigMaps({ lazy_storage_diff: copies })));
    expect(processorTime() - begun).toBeLessThan(500);
    expect(index.bytes - before).toBeLessThan(10_000);
    expect(index.bigMaps.get(0)!.keys.size).toBe(20_000);
  });
});

describe("balances of tokens", () => {
  const PARAMETER = "or (list %transfer unit) (or (unit %balance_of) (unit %update_operators))";
  const change = (key: string, value: string | undefined): object => ({
    key_hash: key,
    key: parseMichelineText(key),
    ...(value !== undefined && { value: parseMichelineText(value) }),
  });
  const ledger = (key: string, value: string): void =>
    contract(TOKEN, PARAMETER, `pair (big_map %ledger (${key}) (${value})) (unit %x)`, "Pair 0 Unit");
  let level = 0;
  const apply = (...updates: object[]): void => {
    const diffs = [{ kind: "big_map", id: "0", diff: { action: "update", updates } }];
    applyBlock(index, block(++level, call(TOKEN, { lazy_storage_diff: diffs })));
  };
  beforeEach(() => (level = 0));
  const balances = (): unknown =>
    Object.fromEntries(
      [...index.balances.values()].map(({ account, token, balance }) => [
        `${account.address} ${token.tokenId}`,
        balance,
      ]),
    );

  it.each([
    ["pair address nat", "nat", (who: string, id: number) => `Pair "${who}" ${id}`, String],
    ["pair nat address", "nat", (who: string, id: number) => `Pair ${id} "${who}"`, String],
    // Objects put keys that are numbers first.
    ["pair (address %1) (nat %0)", "nat", (who: string, id: number) => `Pair "${who}" ${id}`, String],
    ["pair (nat %1) (address %0)", "nat", (who: string, id: number) => `Pair ${id} "${who}"`, String],
    ["pair (address %a) (nat %a)", "nat", (who: string, id: number) => `Pair "${who}" ${id}`, String],
    [
      "pair address nat",
      "pair (nat %1) (nat %balance)",
      (who: string, id: number) => `Pair "${who}" ${id}`,
      (n: number) => `Pair 99 ${n}`,
    ],
    [
      "pair address nat",
      "pair (string %9) (nat %0)",
      (who: string, id: number) => `Pair "${who}" ${id}`,
      (n: number) => `Pair "a" ${n}`,
    ],
  ] as const)("of a ledger (%s) to (%s)", (key, value, keyOf, valueOf) => {
    ledger(key, value);
    apply(change(keyOf(ALICE, 3), valueOf(10)));
    expect([...index.transfers]).toEqual([expect.objectContaining({ to: { address: ALICE }, amount: 10n })]);
    apply(change(keyOf(ALICE, 3), valueOf(6)), change(keyOf(BOB, 3), valueOf(4)));
    expect([...index.transfers].at(-1)).toMatchObject({
      from: { address: ALICE },
      to: { address: BOB },
      amount: 4n,
    });
    apply(change(keyOf(ALICE, 3), undefined));
    expect(balances()).toEqual({ [`${ALICE} 3`]: 0n, [`${BOB} 3`]: 4n });
    expect([...index.tokens.values()]).toEqual([
      expect.objectContaining({
        tokenId: "3",
        totalMinted: 10n,
        totalBurned: 6n,
        holdersCount: 1,
        balancesCount: 2,
      }),
    ]);
  });

  it("of a ledger of owners", () => {
    ledger("nat", "address");
    apply(change("7", `"${ALICE}"`));
    apply(change("7", `"${BOB}"`));
    expect(balances()).toEqual({ [`${ALICE} 7`]: 0n, [`${BOB} 7`]: 1n });
  });

  it("of a ledger of one token, and of a set of holders", () => {
    ledger("address", "nat");
    apply(change(`"${ALICE}"`, "5"));
    expect(balances()).toEqual({ [`${ALICE} 0`]: 5n });
    index = new ChainIndex(10);
    ledger("pair address nat", "unit");
    apply(change(`Pair "${BOB}" 1`, "Unit"));
    expect(balances()).toEqual({ [`${BOB} 1`]: 1n });
  });

  it("ignore big maps that are no ledgers", () => {
    ledger("pair address string", "nat");
    apply(change(`Pair "${ALICE}" "a"`, "5"));
    index = new ChainIndex(10);
    ledger("address", "unit");
    apply(change(`"${ALICE}"`, "Unit"));
    expect(balances()).toEqual({});
  });
});
