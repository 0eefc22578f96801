import { expect, it } from "vitest";
import { processorTime } from "../../../test/support/processor-time.ts";
import { beginsStatement } from "./statements.ts";

/** Columns of the names `x` at which a statement begins. */
const beginnings = (text: string): string =>
  [...text.matchAll(/\bx/g)].map(({ index }) => (beginsStatement(text, index + 1) ? "S" : "-")).join("");

it.each([
  // The first of a line is not asked for: the line begins there.
  ["x(); x();", "-S"],
  ["x(x); await x(x, x);", "--S--"],
  ["a; const y = x + x;", "S-"],
  ["a; const { y, z } = x;", "S"],
  ["a; return !x;", "S"],
  ["a; if (x) b; else if (x) switch (x) {}", "SSS"],
  ["a; (x).y;", "S"],
  ["if (x) x(); else x();", "-SS"],
  ["if (x) { x(); } else { x(); } x();", "-SSS"],
  ["while (x) throw x;", "-S"],
  ["try { x(); } finally { x(); }", "SS"],
  ["do x(); while (x)", "SS"],
  ["for (let i = 0; x; x) x();", "SSS"],
  // Neither arguments, operands nor properties are statements.
  ["f({ x, a: x, ...x }, [x], (x) + x)", "------"],
  ["a = b ? x : x, c && x(`${x}; ${x}`)", "-----"],
  ["f().x.x(x)", "---"],
])("statements of %s", (text, wanted) => {
  expect(beginnings(text)).toBe(wanted);
});

it("looks at a bounded part of a hostile line", () => {
  const text = `${")const a".repeat(200_000)}x`;
  const begun = processorTime();
  for (let i = 0; i < 1_000; i++) beginsStatement(text, text.length - (i % 100));
  expect(processorTime() - begun).toBeLessThan(1_000);
});
