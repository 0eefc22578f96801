import { expect, it } from "vitest";
import {
  asApplication,
  asBytes,
  asInteger,
  asNatural,
  asOption,
  asPair,
  asText,
  combOf,
} from "./micheline-data.ts";
import { parseMichelineText } from "./micheline-text.ts";
import type { Micheline } from "./micheline.ts";

const of = (text: string): Micheline => parseMichelineText(text);

it.each(["(Pair 1 2 3)", "(Pair 1 (Pair 2 3))", "{ 1; 2; 3 }", "(Pair 1 { 2; 3 })"])(
  "%s has the same halves and fields as a comb",
  (text) => {
    expect(combOf(of(text))).toEqual([of("1"), of("2"), of("3")]);
    const [first, second] = asPair(of(text))!;
    expect(first).toEqual(of("1"));
    expect(combOf(second)).toEqual([of("2"), of("3")]);
  },
);

it("a value that is not a pair is one field, and no value is none", () => {
  expect(combOf(of("Unit"))).toEqual([of("Unit")]);
  expect(combOf(undefined)).toEqual([]);
});

it("a comb of any depth is flattened", () => {
  let value: Micheline = of("0");
  for (let i = 0; i < 50_000; i++) value = { prim: "Pair", args: [{ int: "1" }, value] };
  expect(combOf(value)).toHaveLength(50_001);
});

it("values are read by their form, and undefined in another form", () => {
  const values = ["-5", "5", '"a"', "0x00ff", "None", "(Some 1)", "Unit", "{}", "(Pair 1)"].map(of);
  const read = (as: (value: Micheline) => unknown): unknown[] => values.map(as);
  const no = undefined;
  expect(read(asInteger)).toEqual([-5n, 5n, no, no, no, no, no, no, no]);
  expect(read(asNatural)).toEqual([no, 5n, no, no, no, no, no, no, no]);
  expect(read(asText)).toEqual([no, no, "a", no, no, no, no, no, no]);
  expect(read(asBytes)).toEqual([no, no, no, Uint8Array.of(0, 255), no, no, no, no, no]);
  expect(read(asOption)).toEqual([no, no, no, no, null, of("1"), no, no, no]);
  expect(read(asPair)).toEqual(values.map(() => no));
  expect(read((value) => asApplication(value, "Unit"))).toEqual([no, no, no, no, no, no, [], no, no]);
});
