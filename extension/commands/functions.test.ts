import { expect, it } from "vitest";
import { amountProblem } from "./choose.ts";

it("validates amounts while they are typed", () => {
  expect(amountProblem("1.5", 2_000_000n)).toBeUndefined();
  for (const text of ["", "0", "-1", "1,5", "3", "1.0000001"])
    expect(amountProblem(text, 2_000_000n)).toBeTypeOf("string");
});
