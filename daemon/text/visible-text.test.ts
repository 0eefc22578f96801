import fc from "fast-check";
import { expect, it } from "vitest";
import { visible } from "./visible-text.ts";

it("escapes what a terminal would obey", () => {
  expect(visible("\u001b]52;c;AAAA\u0007 \u009b2J \u007f \0 over\rwritten")).toBe(
    "\\u001b]52;c;AAAA\\u0007 \\u009b2J \\u007f \\u0000 over\\u000dwritten",
  );
  expect(visible("user\u202eexe.txt\u2066")).toBe("user\\u202eexe.txt\\u2066");
});

it("leaves lines, tabs and letters of all languages unchanged", () => {
  const text = "one\r\ntwo\n\tthree äß 漢字 👍🏽 שלום";
  expect(visible(text)).toBe(text);
});

it("leaves no control characters but line breaks and tabs in any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      expect(visible(text).replace(/\r\n/g, "")).not.toMatch(/(?![\n\t])\p{Cc}/u);
    }),
    { numRuns: 2_000 },
  );
});
