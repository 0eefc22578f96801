import fc from "fast-check";
import { expect, it } from "vitest";
import { visible } from "./visible-text.ts";

it("escapes what a terminal would obey", () => {
  expect(visible("\u001b]52;c;AAAA\u0007 \u009b2J \u007f \0 over\rwritten")).toBe(
    "\\u001b]52;c;AAAA\\u0007 \\u009b2J \\u007f \\u0000 over\\u000dwritten",
  );
  expect(visible("user\u202eexe.txt\u2066")).toBe("user\\u202eexe.txt\\u2066");
});

it("escapes what a terminal would hide", () => {
  const hidden = [
    0xfeff, 0x200b, 0x200f, 0x2060, 0x2064, 0x2066, 0xfff9, 0xfffb, 0xe0001, 0xe007f, 0x61c, 0x2028,
  ];
  for (const code of hidden) {
    const shown = visible(`a${String.fromCodePoint(code)}b`);
    expect(shown).toBe(
      code > 0xffff ? `a\\u{${code.toString(16)}}b` : `a\\u${code.toString(16).padStart(4, "0")}b`,
    );
  }
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
