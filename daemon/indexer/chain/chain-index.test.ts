import { beforeEach, expect, it } from "vitest";
import { humanType } from "../human/human-type.ts";
import { ChainIndex, newBigMap } from "./chain-index.ts";
import type { BlockRow, TokenBalanceState, TokenState, TokenTransferRow } from "./index-rows.ts";
import { ShownValue } from "./shown-value.ts";

const NAT = humanType({ prim: "nat" });
const LONG = new ShownValue(undefined, { bytes: "00".repeat(5_000) });
const LIMIT = 60 * 1024 * 1024;

let index: ChainIndex;
beforeEach(() => (index = new ChainIndex(100_000)));

/** Adds a contract whose parameter has a hundred fields of this name. */
function addContract(address: string, name: string): void {
  const unit = { prim: "unit", annots: [name] };
  const code = [
    { prim: "parameter", args: [{ prim: "pair", args: Array.from({ length: 100 }, () => unit) }] },
    { prim: "storage", args: [{ prim: "unit" }] },
  ];
  index.addContract(address, { code, storage: { prim: "Unit" } }, { level: 1, time: "", creator: null });
}
const endBlock = (level: number): void => index.endBlock({ level, fees: 0n } as BlockRow);
function addMap(ptr: number, level = 1): void {
  index.addBigMap(newBigMap(ptr, "KT1", "map", NAT, NAT, level));
}
function setKey(ptr: number, hash: string, active = true): void {
  const map = index.bigMaps.get(ptr)!;
  const common = { id: index.nextId(), firstLevel: 1, lastLevel: 1, updates: 1 };
  index.setKey(map, { ...common, active, hash, key: LONG, value: LONG });
}

it("drops the oldest blocks when rows take too much memory", () => {
  for (let level = 1; level <= 200; level++) {
    const storage = { bytes: "00".repeat(500_000) };
    const row = { id: index.nextId(), level, storage: new ShownValue(undefined, storage) };
    index.addOperation(row as never);
    endBlock(level);
    expect(index.bytes).toBeLessThan(LIMIT * 1.02);
  }
  expect(index.blocks.length).toBeLessThan(200);
  expect(index.operations.length).toBe(index.blocks.length);
  expect(index.head!.level).toBe(200);
  expect(index.hasForgotten).toBe(false);
});

it("forgets removed keys first, and counts the memory of the rest", () => {
  addMap(0);
  setKey(0, "kept");
  let level = 0;
  for (let i = 0; i < 40_000; i++) {
    setKey(0, `gone ${i}`, false);
    if (i % 1_000 === 0) endBlock(++level);
  }
  endBlock(++level);
  const { keys, hasForgotten } = index.bigMaps.get(0)!;
  expect(index.bytes).toBeLessThan(LIMIT);
  expect(keys.size).toBeLessThan(40_000);
  expect(keys.get("kept")).toBeDefined();
  expect(keys.get("gone 0")).toBeUndefined();
  expect(keys.get("gone 39999")).toBeDefined();
  expect(hasForgotten).toBe(false); // only removed keys are gone
});

it("then forgets the keys of the maps that changed least recently, and says so", () => {
  addMap(0, 1);
  addMap(1, 2);
  for (let i = 0; i < 2_000; i++) setKey(0, `old ${i}`);
  for (let i = 0; i < 2_000; i++) setKey(1, `new ${i}`);
  endBlock(1);
  expect(index.hasForgotten).toBe(false);
  for (let i = 2_000; i < 4_000; i++) setKey(1, `new ${i}`);
  endBlock(2);
  expect(index.bigMaps.get(0)).toMatchObject({ hasForgotten: true });
  expect(index.bigMaps.get(0)!.keys.size).toBe(0);
  expect(index.bigMaps.get(1)!.keys.size).toBe(4_000);
});

it("finally forgets tokens, contracts and maps: everything is bounded", () => {
  for (let i = 0; i < 60_000; i++) {
    const token = { tokenId: `${i}`, totalMinted: 1n, totalBurned: 0n } as never;
    index.addToken(`${i}`, token);
    index.addBalance(`${i}`, { token, balance: 1n } as never);
  }
  for (let i = 0; i < 1_800; i++) addContract(`KT${i}`, `%name_of_contract_${i}`);
  endBlock(1);
  expect(index.bytes).toBeLessThan(LIMIT);
  expect(index.balances.size + index.tokens.size).toBe(0);
  expect(index.contracts.size).toBeLessThan(1_800);
  expect(index.contracts.has("KT1799")).toBe(true);
});

it("counts the bytes of tokens' amounts, which may be long", () => {
  const long = 1n << 50_000n;
  const bytes = (): number => index.bytes;
  const token = { tokenId: "1", totalMinted: 0n, totalBurned: 0n } as TokenState;
  index.addToken("KT1/1", token);
  let before = bytes();
  index.supply(token, { minted: long, burned: 0n });
  expect(bytes() - before).toBeGreaterThan(6_250);
  const held = { token, balance: 0n } as TokenBalanceState;
  index.addBalance("tz1/KT1/1", held);
  before = bytes();
  index.setBalance(held, long);
  expect(bytes() - before).toBeGreaterThan(6_250);
  index.setBalance(held, 0n);
  expect(bytes()).toBe(before);
  index.addTransfer({ token, amount: long } as TokenTransferRow);
  expect(bytes() - before).toBeGreaterThan(6_250);
});

it("counts the types of contracts with the same code once", () => {
  addContract("KT1", "%a");
  const one = index.bytes;
  for (let i = 2; i < 12; i++) addContract(`KT${i}`, "%a");
  expect(index.bytes - one).toBeLessThan(one / 2);
  expect(index.contracts.get("KT11")!.script).toBe(index.contracts.get("KT1")!.script);
  addContract("KT1", "%b");
  expect(index.contracts.get("KT1")!.script).not.toBe(index.contracts.get("KT11")!.script);
  for (let i = 1; i < 12; i++) addContract(`KT${i}`, "%b");
  expect(index.bytes).toBeLessThan(2 * one); // the types of the other code are free
});
