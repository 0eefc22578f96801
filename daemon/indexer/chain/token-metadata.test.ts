import { beforeEach, expect, it } from "vitest";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import type { KeyChange } from "./apply-big-maps.ts";
import { ChainIndex } from "./chain-index.ts";
import type { ContractState, TokenState } from "./index-rows.ts";
import { ShownValue } from "./shown-value.ts";
import { applyTokenMetadata } from "./token-metadata.ts";

const TOKEN = "KT1GFiPkkTjd14oHe6MrBPiRh5djzRkVWcni";

let index: ChainIndex;
let contract: ContractState;
beforeEach(() => {
  index = new ChainIndex(10);
  const code = [
    { prim: "parameter", args: [parseMichelineText("unit")] },
    {
      prim: "storage",
      args: [
        parseMichelineText(
          "pair (big_map %metadata string bytes) (big_map %token_metadata nat (pair (nat %token_id) (map %token_info string bytes)))",
        ),
      ],
    },
    { prim: "code", args: [[]] },
  ];
  const written = { code, storage: parseMichelineText("Pair 0 1") };
  contract = index.addContract(TOKEN, written, { level: 1, time: "2026-01-01T00:00:00Z", creator: null });
});

const hex = (text: string): string => Buffer.from(text).toString("hex");
const show = (node: Micheline): ShownValue => new ShownValue(undefined, node);
/** Writes the properties of a token, or removes them. */
function write(tokenId: number, properties: Readonly<Record<string, string>> | undefined): void {
  const elements = Object.entries(properties ?? {}).map(([name, bytes]) => ({
    prim: "Elt",
    args: [{ string: name }, { bytes }],
  }));
  const after = show({ prim: "Pair", args: [{ int: String(tokenId) }, elements] });
  const change: KeyChange = {
    bigMap: index.bigMaps.get(1)!,
    key: show({ int: String(tokenId) }),
    before: undefined,
    after: properties && after,
  };
  applyTokenMetadata(index, contract, [change]);
}
function mint(tokenId: number): TokenState {
  const token = { contract: { address: TOKEN }, tokenId: String(tokenId), totalMinted: 1n, totalBurned: 0n };
  index.addToken(`${TOKEN}/${tokenId}`, token as never);
  return index.tokens.get(`${TOKEN}/${tokenId}`)!;
}

it("tells the properties of a token, written before it was minted or afterwards", () => {
  write(0, { name: hex("Zwölf"), decimals: hex("6"), formats: hex('[{"uri":"a"}]'), "": hex("ipfs://Qm") });
  const first = mint(0);
  expect(first.metadata).toEqual({ name: "Zwölf", decimals: "6", formats: [{ uri: "a" }] });
  const second = mint(1);
  expect(second.metadata).toBeUndefined();
  write(1, { symbol: hex("B") });
  expect(second.metadata).toEqual({ symbol: "B" });
  write(1, undefined);
  expect(second).not.toHaveProperty("metadata");
});

it("reads a document in the contract's own metadata; the token's own properties come first", () => {
  index.setKey(index.bigMaps.get(0)!, {
    id: 1,
    active: true,
    hash: "expr",
    key: show({ string: "a b" }),
    value: show({ bytes: hex('{"name":"from storage","decimals":0}') }),
    firstLevel: 1,
    lastLevel: 1,
    updates: 1,
  });
  write(0, { "": hex("tezos-storage:a%20b"), name: hex("own") });
  expect(mint(0).metadata).toEqual({ name: "own", decimals: 0 });
});

it.each([
  ["too much text", { name: hex("x".repeat(20_000)) }, undefined],
  ["bytes that are no text", { name: "ff00" }, { name: "ff00" }],
  [
    "JSON that nests deeply",
    { tags: hex("[".repeat(50) + "]".repeat(50)) },
    { tags: "[".repeat(50) + "]".repeat(50) },
  ],
  ["JSON that does not end", { tags: hex("[1,") }, { tags: "[1," }],
  [
    "a name of the language",
    JSON.parse(`{"__proto__":"${hex("x")}"}`) as Record<string, string>,
    JSON.parse('{"__proto__":"x"}') as object,
  ],
  ["a document that is missing", { "": hex("tezos-storage:none") }, undefined],
])("survives %s", (_, properties, expected) => {
  write(0, properties);
  expect(mint(0).metadata).toEqual(expected);
});

it("counts in the memory of the index", () => {
  const before = index.bytes;
  write(0, { name: hex("x".repeat(10_000)) });
  expect(index.bytes - before).toBeGreaterThan(10_000);
  write(0, undefined);
  expect(index.bytes).toBe(before);
});
