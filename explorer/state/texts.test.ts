import { expect, it } from "vitest";
import { beginningOf, jsonText, mutezOf, prettyJson, shortHash, tezOf } from "./texts.ts";

it.each([
  ["0", "0"],
  ["1", "0.000001"],
  ["1500000", "1.5"],
  ["100000000000", "100,000"],
  ["123456789012345678", "123,456,789,012.345678"],
  ["-2500000", "−2.5"],
])("shows %s mutez as %s tez", (mutez, tez) => expect(tezOf(mutez)).toBe(tez));

it.each([
  ["1", 1_000_000n],
  ["0.000001", 1n],
  [" 2.5 ", 2_500_000n],
  ["0", 0n],
  ["1 000", 1_000_000_000n],
  ["1.0000001", undefined],
  ["-1", undefined],
  ["1e3", undefined],
  ["", undefined],
])("reads %j tez as %s mutez", (tez, mutez) => expect(mutezOf(tez)).toBe(mutez));

it("shortens hashes and leaves short texts", () => {
  expect(shortHash("tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV")).toBe("tz1TGu6…LqgYV");
  expect(shortHash("jstz")).toBe("jstz");
});

it("indents JSON and leaves other text", () => {
  expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(prettyJson("{a")).toBe("{a");
});

it.each([
  ["deep", (n: number) => JSON.parse(`${"[".repeat(n)}${"]".repeat(n)}`) as unknown, 2_500],
  [
    "wide at some depth",
    (n: number) => JSON.parse(`${"[".repeat(100)}[${"0,".repeat(n)}0]${"]".repeat(100)}`) as unknown,
    9_000,
  ],
])("indents no JSON whose indentation would be most of it: %s", (_what, value, count) => {
  expect(jsonText(value(10))).toBe(JSON.stringify(value(10), null, 2));
  expect(jsonText(value(count))).toBe(JSON.stringify(value(count)));
});

it("shows JSON that is too deep to be written", () => {
  expect(jsonText(JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`))).toMatch(/too deep/);
});

it("shows the beginning of a long text", () => {
  const most = { characters: 10, elaborate: 4, lines: 3 };
  expect(beginningOf("a\nb\nc", most)).toBe("a\nb\nc");
  expect(beginningOf("a\nb\nc\nd", most)).toBe("a\nb\nc\n… 2 further characters");
  expect(beginningOf("ab\u0645cde", most)).toBe("ab\u0645c\n… 2 further characters");
  expect(beginningOf("0123456789a", most)).toBe("0123456789\n… 1 further character");
});
