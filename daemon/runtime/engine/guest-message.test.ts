import { describe, expect, it } from "vitest";
import { processorTime } from "../../../test/support/processor-time.ts";
import { GuestError } from "./guest-error.ts";
import { readMessage } from "./guest-message.ts";

function read(source: string): { readonly parts: unknown; readonly gas: number } {
  let gas = 0;
  const parts = readMessage(source, (units) => (gas += units));
  return { parts, gas };
}

describe("a message from the guest", () => {
  it.each<readonly unknown[]>([
    [[]],
    [["https://a.b/?c", "GET", []]],
    [[200, "", [["content-type", "text/plain"]], "default"]],
    [[404, "Not \"Found\" \\ \n", [["a", "\u0001é💥"], ["b", ""]], null]], // oxfmt-ignore
    [["Error", "", "Uncaught"]],
    [[-1, 1.5]],
  ])("is read as it was written: %j", (parts) => {
    expect(read(JSON.stringify(parts))).toEqual({ parts, gas: 0 });
  });

  it.each([
    "",
    "[",
    "[]]",
    '["a"',
    '["a",]',
    '["a" ]',
    "{}",
    "[{}]",
    "[[[]]]",
    '[["a","b"]]',
    '[[["a"]]]',
    '[[["a","b","c"]]]',
    '[[["a",1]]]',
    '["\\x"]',
    '["\\"]',
    "[1e9]",
    "[12345678901234567890]",
    "[nul]",
    "[1,2,3,4,5,6,7,8,9]",
  ])("is rejected: %s", (source) => {
    expect(() => read(source)).toThrow(GuestError);
  });

  it("is rejected as soon as it nests deeper than lists of headers", () => {
    for (const opening of ["[", '[[["a",']) {
      const begun = processorTime();
      expect(() => read(opening.repeat(1_000_000))).toThrow(GuestError);
      expect(processorTime() - begun).toBeLessThan(50);
    }
    expect(() => read(`[${"{},".repeat(5_000_000)}1]`)).toThrow(GuestError);
  });

  it("has a limited number of headers", () => {
    const headers = (count: number): string => `[[${Array(count).fill('["",""]').join(",")}]]`;
    expect(read(headers(32_768)).gas).toBeGreaterThan(5_000_000);
    expect(() => read(headers(32_769))).toThrow(GuestError);
  });

  it("is charged for texts with escapes, but not for a long text without", () => {
    expect(read(JSON.stringify(["x".repeat(1_000_000)])).gas).toBe(0);
    expect(read(JSON.stringify(["\n".repeat(100_000)])).gas).toBeGreaterThan(500_000);
    expect(read(JSON.stringify(["\n".repeat(400)])).gas).toBe(0);
  });
});
