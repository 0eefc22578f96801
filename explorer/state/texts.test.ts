import { expect, it } from "vitest";
import { mutezOf, prettyJson, shortHash, tezOf } from "./texts.ts";

it.each([
  ["0", "0"],
  ["1", "0.000001"],
  ["1500000", "1.5"],
  ["100000000000", "100,000"],
  ["123456789012345678", "123,456,789,012.345678"],
  ["-2500000", "−2.5"],
])("shows %s mutez as %s tez", (mutez, tez) => expect(tezOf(mutez)).toBe(tez));

it.each([
  ["1", "1000000"],
  ["0.000001", "1"],
  [" 2.5 ", "2500000"],
  ["0", "0"],
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
