import fc from "fast-check";
import { expect, it } from "vitest";
import { ENTRY_CHARACTERS, Ledger, type LedgerWrite } from "./ledger.ts";

const write: fc.Arbitrary<LedgerWrite> = fc.oneof(
  fc.tuple(
    fc.constant("value" as const),
    fc.constantFrom("KT1a", "KT1b"),
    fc.constantFrom("k", "key"),
    fc.option(fc.string(), { nil: undefined }),
  ),
  fc.tuple(fc.constant("code" as const), fc.constantFrom("KT1a", "KT1b"), fc.string()),
  fc.tuple(fc.constant("account" as const), fc.constantFrom("tz1a", "tz1b"), fc.constant("1:2")),
  fc.tuple(
    fc.constant("ticket" as const),
    fc.constant("ab"),
    fc.constantFrom("tz1a", "tz1b"),
    fc.constant("3"),
  ),
);

/** The expected `characters`, by counting everything. */
function countBytes(ledger: Ledger): number {
  let sum = 0;
  for (const [kind, , third, fourth] of ledger.writes()) {
    sum += ENTRY_CHARACTERS;
    if (kind === "value") sum += third.length + (fourth as string).length;
    if (kind === "code") sum += third.length;
  }
  return sum;
}

it("knows its size after any writes, removals, copies and amendments", () => {
  fc.assert(
    fc.property(fc.array(write), fc.array(write), (before, after) => {
      const ledger = new Ledger();
      for (const each of before) ledger.apply(each);
      expect(ledger.characters).toBe(countBytes(ledger));
      const copy = ledger.copy();
      for (const each of after) ledger.apply(each);
      expect(ledger.characters).toBe(countBytes(ledger));
      ledger.amend(ledger.differenceTo(copy));
      expect(ledger.characters).toBe(copy.characters);
      expect(copy.characters).toBe(countBytes(copy));
    }),
  );
});
