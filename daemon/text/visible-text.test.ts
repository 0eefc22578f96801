import fc from "fast-check";
import { expect, it } from "vitest";
import { processorTime } from "../../test/support/processor-time.ts";
import { visible, visibleJson } from "./visible-text.ts";

it("escapes what a terminal would obey", () => {
  expect(visible("\u001b]52;c;AAAA\u0007 \u009b2J \u007f \0 over\rwritten")).toBe(
    "\\u001b]52;c;AAAA\\u0007 \\u009b2J \\u007f \\u0000 over\\u000dwritten",
  );
  expect(visible("user\u202eexe.txt\u2066")).toBe("user\\u202eexe.txt\\u2066");
});

it("escapes what a terminal would hide", () => {
  const hidden = [
    0xfeff, 0x200b, 0x200f, 0x2060, 0x2064, 0x2066, 0xfff9, 0xfffb, 0xe0001, 0xe007f, 0x61c, 0x2028, 0xad,
    0x34f, 0x115f, 0x1160, 0x17b4, 0x180b, 0x2029, 0x2800, 0x3164, 0xfe00, 0xfe0f, 0xffa0, 0xe0000, 0xe0041,
    0xe0100, 0xe01ef, 0x1d173,
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

it("leaves the coloured form of a symbol, and shows the sign for it elsewhere", () => {
  expect(visible("\u26a0\ufe0f a\ufe0f")).toBe("\u26a0\ufe0f a\\ufe0f");
});

it("leaves the value of JSON, and all of its structure, unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), fc.constantFrom(undefined, 2), (value, indent) => {
      const json = JSON.stringify({ value, hidden: "\u009b\u202e\u{e0041}\u00ad" }, null, indent);
      const shown = visibleJson(json);
      expect(JSON.parse(shown)).toEqual(JSON.parse(json));
      expect(shown).not.toMatch(/[\u007f-\u009f\u00ad\u200b\u202e\u2028\u{e0041}]/u);
    }),
    { numRuns: 200 },
  );
});

it("takes linear time", () => {
  const started = processorTime();
  for (const unit of ["\u{1f469}\u200d", "\ufe0f", "\r", "plain "]) visible(unit.repeat(50_000));
  expect(processorTime() - started).toBeLessThan(1_000);
});

it("leaves no control characters but line breaks and tabs in any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      expect(visible(text).replace(/\r\n/g, "")).not.toMatch(/(?![\n\t])\p{Cc}/u);
    }),
    { numRuns: 2_000 },
  );
});
