import { expect, it } from "vitest";
import { stepOf } from "./recorded-steps.ts";

it.each([
  ["1", 1],
  [" 340 ", 340],
  ["+10", 22],
  ["-11", 1],
  ["-12", undefined],
  ["+329", undefined],
  ["0", undefined],
  ["341", undefined],
  ["", undefined],
  ["1.5", undefined],
  ["1e2", undefined],
  ["step 3", undefined],
])("step %s of a recording of 340 that stands at 12", (text, wanted) => {
  expect(stepOf(text, { step: 12, steps: 340 })).toBe(wanted);
});
