import fc from "fast-check";
import { expect, it } from "vitest";
import { endOfString } from "./json-strings.ts";

it("finds the end of any JSON string", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (value, rest) => {
      const text = JSON.stringify(value);
      expect(endOfString(`[${text}${rest}`, 1)).toBe(1 + text.length);
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  ['"', 1],
  ['"abc', 4],
  ['"\\"', 3],
  ['"\\\\"x', 4],
  ['"\\\\\\"', 5],
  ['""', 2],
])("ends %j at %i", (text, end) => expect(endOfString(text, 0)).toBe(end));
