import { expect, it } from "vitest";
import { foundText } from "./found-text.ts";

it("shows a value of any length and depth", () => {
  let deep: unknown = [];
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(foundText(deep)).toBe("a value that is nested too deeply");
  expect(foundText({ a: [1, "x"] })).toBe('{"a":[1,"x"]}');
  expect(foundText(undefined)).toBe("nothing");
  expect(foundText("x".repeat(5_000))).toHaveLength(1_001);
});
