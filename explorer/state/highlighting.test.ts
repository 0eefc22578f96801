import { expect, it } from "vitest";
import { isQuickToHighlight } from "./highlighting.ts";

it("highlights code, bundles with long lines too", () => {
  expect(isQuickToHighlight("const half = (n: number) => n / 2; // a comment\n".repeat(3_000))).toBe(true);
  expect(isQuickToHighlight("const a=b/2;".repeat(800))).toBe(true);
});

// Each takes seconds, and some take minutes.
it.each(["/[", "/\\", "a:/[", "=/[/["])("does not highlight a line of %s", (part) => {
  expect(isQuickToHighlight(part.repeat(30_000))).toBe(false);
});

it("does not highlight a word of 20,000 letters, or a text of 200,000 characters", () => {
  expect(isQuickToHighlight("a".repeat(20_000))).toBe(false);
  expect(isQuickToHighlight("a ".repeat(100_000))).toBe(false);
});
