import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { processorTime } from "../../../test/support/processor-time.ts";
import { isJson } from "./json-text.ts";

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe("a text is JSON", () => {
  it("exactly when JSON.parse accepts it", () => {
    const piece = fc.constantFrom(
      ...'{}[],:"\\ \n\t0123456789-+.eEtruefalsn/bu\u0000\u00e9\ud83d',
      "true",
      "null",
      '"a"',
      "1e5",
      "[]",
      "{}",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.json({ noUnicodeString: false }),
          fc.array(piece).map((all) => all.join("")),
        ),
        (text) => {
          expect(isJson(text)).toBe(parses(text));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("also after a change of any single character", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom(...'{}[],:"\\ 0-.eu'), (text, place, char) => {
        const at = place % text.length;
        const changed = text.slice(0, at) + char + text.slice(at + 1);
        expect(isJson(changed)).toBe(parses(changed));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    "",
    " ",
    "undefined",
    "NaN",
    "1 2",
    "[1,]",
    "{,}",
    '{"a"}',
    "01",
    "1.",
    '"\\x"',
    "'a'",
    "[",
    "]",
    "nul",
  ])("but not %j", (text) => {
    expect(isJson(text)).toBe(false);
  });

  it("but not when it nests too deeply", () => {
    expect(isJson("[".repeat(1_000) + "]".repeat(1_000))).toBe(true);
    expect(isJson("[".repeat(1_002) + "]".repeat(1_002))).toBe(false);
    expect(isJson("[".repeat(10_000_000))).toBe(false);
  });

  it.each([
    ["an endless string", `1234567890123456"${'\\"'.repeat(4_000_000)}`],
    ["a string that is never closed", `"${'\\"'.repeat(4_000_000)}`],
    ["digits", "1".repeat(8_000_000)],
    ["spaces", " ".repeat(8_000_000)],
    ["commas", `[${"1,".repeat(4_000_000)}`],
  ])("in linear time: %s", (_what, text) => {
    const time = (of: string): number => {
      const from = processorTime();
      isJson(of);
      return processorTime() - from;
    };
    time(text);
    // Quadratic code would take hours for these; the bound is generous because machines are busy.
    expect(time(text)).toBeLessThan(5_000);
  });
});
