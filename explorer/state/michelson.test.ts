import { expect, it } from "vitest";
import { exampleOf, type Micheline, typeText } from "./michelson.ts";

const TRANSFER: Micheline = {
  prim: "pair",
  args: [
    { prim: "address", annots: [":from"] },
    { prim: "or", args: [{ prim: "nat" }, { prim: "unit" }] },
    { prim: "list", args: [{ prim: "string" }] },
  ],
};

it("writes a type in one line", () => {
  expect(typeText(TRANSFER)).toBe("pair (address :from) (or nat unit) (list string)");
  expect(typeText({ prim: "unit" })).toBe("unit");
});

it("gives a value of the type to begin with", () => {
  expect(exampleOf(TRANSFER)).toBe('Pair "tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV" (Left 0) {}');
  expect(exampleOf({ prim: "option", args: [{ prim: "nat" }] })).toBe("None");
});
