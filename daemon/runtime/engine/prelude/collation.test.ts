import fc from "fast-check";
import { expect, it } from "vitest";
import { collate, type Sensitivity } from "./collation.ts";

/** Letters, digits, signs and marks of the scripts of the table. */
const characters = [
  ..."aAbBzZ019 _-.,;:!?'\"()[]{}@*/\\&#%`^+<=>|~$éÉèñÑçÇäÄöÖüÜßæÆœŒøØåÅłŁđĐþÞšŠžŽıİﬁ½²ªº€£¥",
  ..."αβγΑΒΩώΏжйЙиИёЁъщЩԱաアあがカｶ…–—«»№™½",
  ..."\u0301\u0308\u0327\u0306\u0000\u0002\u0003\t\n\u00ad\u200b",
];
const text = fc.array(fc.constantFrom(...characters), { maxLength: 5 }).map((list) => list.join(""));

it.each<Sensitivity>(["base", "accent", "case", "variant"])(
  "orders texts as ICU does, sensitivity %s",
  (sensitivity) => {
    for (const numeric of [false, true]) {
      const { compare } = new Intl.Collator("en", { sensitivity, numeric });
      fc.assert(
        fc.property(text, text, (one, other) => {
          expect([one, other, collate(one, other, { sensitivity, numeric })]).toEqual([
            one,
            other,
            Math.sign(compare(one, other)),
          ]);
        }),
        { numRuns: 2000, seed: 7 },
      );
    }
  },
);
