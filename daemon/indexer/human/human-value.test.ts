import { describe, expect, it } from "vitest";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import { humanType } from "./human-type.ts";
import { humanValue } from "./human-value.ts";
import { UNMETERED } from "./meter.ts";
import { typeJson } from "./type-json.ts";

const show = (type: string, value: string): unknown =>
  humanValue(humanType(parseMichelineText(type)), parseMichelineText(value), UNMETERED);

describe("values", () => {
  it.each([
    ["nat", "123456789012345678901234567890", "123456789012345678901234567890"],
    ["bool", "True", true],
    ["unit", "Unit", {}],
    ["string", '"a"', "a"],
    ["bytes", "0xff", "ff"],
    ["timestamp", "0", "1970-01-01T00:00:00Z"],
    ["timestamp", '"2026-01-31T12:00:00.000Z"', "2026-01-31T12:00:00Z"],
    ["timestamp", "999999999999999", "999999999999999"],
    ["option nat", "None", null],
    ["option (option nat)", "Some (Some 1)", "1"],
    ["list int", "{ 1; -2 }", ["1", "-2"]],
    ["big_map nat nat", "42", 42],
    ["map string nat", '{ Elt "a" 1; Elt "__proto__" 2 }', JSON.parse('{"a":"1","__proto__":"2"}')],
    [
      "map (pair nat nat) bool",
      "{ Elt (Pair 1 2) True }",
      [{ key: { nat_0: "1", nat_1: "2" }, value: true }],
    ],
    ["or (nat %one) (or string (unit %three))", "Left 5", { one: "5" }],
    ["or (nat %one) (or string (unit %three))", 'Right (Left "x")', { RL: "x" }],
    ["or (nat %one) (or string (unit %three))", "Right (Right Unit)", { three: {} }],
    ["lambda unit unit", "{ CAR }", '[{"prim":"CAR"}]'],
    ["address", "0x0000e7670f32038107a59a2b9cfefae36ea21f5aa63c", "tz1gjaF81ZRRvdzjobyfVNsAeSC6PScjfQwN"],
  ])("of %s are shown: %s", (type, value, expected) => {
    expect(show(type, value)).toEqual(expected);
  });

  it("of pairs have the names of the fields, through nested pairs that have none", () => {
    expect(show("pair (nat %a) (pair (string %b) (bytes :c))", 'Pair 1 (Pair "x" 0x00)')).toEqual({
      a: "1",
      b: "x",
      c: "00",
    });
    expect(show("pair (nat %a) (string %b) (bytes %c)", '{ 1; "x"; 0x00 }')).toEqual({
      a: "1",
      b: "x",
      c: "00",
    });
    expect(show("pair (pair %p nat nat) nat", "Pair (Pair 1 2) 3")).toEqual({
      p: { nat_0: "1", nat_1: "2" },
      nat: "3",
    });
    expect(show("pair (list %l nat) (option address)", "Pair {} None")).toEqual({ l: [], address: null });
  });

  it("that do not match their type stay Micheline", () => {
    expect(show("pair nat nat", '"x"')).toEqual({ string: "x" });
    expect(show("list nat", "1")).toEqual({ int: "1" });
    expect(show("or nat nat", "5")).toEqual({ int: "5" });
    expect(show("key_hash", "0x00")).toBe("00");
  });
});

it("describes the values of a type", () => {
  const type = humanType(parseMichelineText("pair (address %to) (or (nat %amount) (map %by string nat))"));
  expect(typeJson(type)).toEqual({
    "schema:object": {
      "to:address": "address",
      "or:or": { "amount:nat": "nat", "by:map_flat:string:nat": { string: "nat" } },
    },
  });
});
