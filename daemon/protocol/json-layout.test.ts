import { expect, it } from "vitest";
import { compactJson, indentJson, isJsonText } from "./json-layout.ts";

it.each([
  {},
  [],
  [[], {}, [[]]],
  { a: 1, b: [true, null, 'x,]}:\\"['], c: { d: {}, e: [[1], [2, 3]] } },
  "text",
  7,
])("lays %j out as JSON.stringify does", (value) => {
  const written = [JSON.stringify(value), JSON.stringify(value, null, 2), JSON.stringify(value, null, "\t")];
  for (const text of written) {
    expect(indentJson(text)).toBe(JSON.stringify(value, null, 2));
    expect(compactJson(text)).toBe(JSON.stringify(value));
  }
});

it("leaves values as they were written", () => {
  const text = String.raw`{"n":9007199254740993,"e":1e400,"z":-0.0,"n":1.0,"é":"\u00e9"}`;
  expect(compactJson(indentJson(text))).toBe(text);
});

it("does not indent what is nested so deeply that the indentation outgrows it", () => {
  const text = "[".repeat(20_000) + "]".repeat(20_000);
  expect(indentJson(text)).toBe(text);
});

it("tells JSON from other text", () => {
  expect(["1e400", '"a"', "null", "[1]"].every(isJsonText)).toBe(true);
  expect(["", "NaN", "{a:1}", "\ufeff{}", "[1]]"].some(isJsonText)).toBe(false);
});
