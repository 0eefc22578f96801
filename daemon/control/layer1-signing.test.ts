import { expect, it } from "vitest";
import { tezOfFloat } from "./layer1-signing.ts";

it.each([
  [1, 1_000_000n],
  [0.3, 300_000n],
  [0.000001, 1n],
  [1234567.654321, 1_234_567_654_321n],
  [0, 0n],
])("takes %d tez as they are written", (tez, mutez) => {
  expect(tezOfFloat(tez)).toBe(mutez);
});

it.each([1.0000009, 0.0000015, 2.00000049, 0.1 + 0.2, 1e21, -1, NaN])("rounds nothing: %d", (tez) => {
  expect(() => tezOfFloat(tez)).toThrow(expect.objectContaining({ code: "BAD_AMOUNT" }) as Error);
});
