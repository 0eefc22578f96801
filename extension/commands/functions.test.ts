import { expect, it } from "vitest";
import { amountProblem } from "./choose.ts";
import { placeOf } from "./functions.ts";

it("finds the position in a bundler's message", () => {
  expect(placeOf('/a/index.ts does not compile:\n  index.ts:2:20: Expected ")" but found "{"')).toEqual({
    line: 2,
    column: 20,
    text: 'Expected ")" but found "{"',
  });
  expect(placeOf("Failed to deploy smart function")).toBeUndefined();
});

it("validates amounts while they are typed", () => {
  expect(amountProblem("1.5", 2_000_000n)).toBeUndefined();
  for (const text of ["", "0", "-1", "1,5", "3", "1.0000001"])
    expect(amountProblem(text, 2_000_000n)).toBeTypeOf("string");
});
