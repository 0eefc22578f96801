import fc from "fast-check";
import { expect, it } from "vitest";
import { SandboxError } from "./errors.ts";
import { formatTez, MAX_RUNTIME_MUTEZ } from "./tez-text.ts";
import { parseMutez, parseTez, parseTezOrZero } from "./tez.ts";

const codeOf = (action: () => unknown): string | undefined => {
  try {
    action();
    return undefined;
  } catch (error) {
    return error instanceof SandboxError ? error.code : String(error);
  }
};

it("reads whole and decimal tez exactly", () => {
  expect(parseTez("1000")).toBe(1_000_000_000n);
  expect(parseTez("0.000001")).toBe(1n);
  expect(parseTez("1.5")).toBe(1_500_000n);
  expect(parseTez(" 1 000.5 ")).toBe(1_000_500_000n);
  expect(parseTez("9007199254.740993")).toBe(9_007_199_254_740_993n);
  expect(parseTez("18446744073709.551615")).toBe(MAX_RUNTIME_MUTEZ);
});

it.each([
  "",
  "0",
  "0.0",
  "-1",
  "1e6",
  "1,5",
  "NaN",
  "Infinity",
  "0x10",
  "1.0000001",
  ".5",
  "1.",
  "1__0",
  "18446744073709.551616",
  "1 tez",
])("refuses %j as a positive amount", (text) => {
  expect(codeOf(() => parseTez(text))).toBe("BAD_AMOUNT");
});

it("accepts zero only where it is allowed", () => {
  expect(parseTezOrZero("0")).toBe(0n);
  expect(codeOf(() => parseTezOrZero("-0"))).toBe("BAD_AMOUNT");
});

it("formats amounts that parse back to the same value", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: MAX_RUNTIME_MUTEZ }),
      (mutez) => parseTez(formatTez(mutez)) === mutez,
    ),
  );
});

it("formats without trailing zeros", () => {
  expect(formatTez(0n)).toBe("0");
  expect(formatTez(1_000_000n)).toBe("1");
  expect(formatTez(1_500_000n)).toBe("1.5");
  expect(formatTez(-1n)).toBe("-0.000001");
});

it("sums a thousand deposits of 0.1 tez to exactly 100", () => {
  let sum = 0n;
  for (let i = 0; i < 1000; i++) sum += parseTez("0.1");
  expect(formatTez(sum)).toBe("100");
});

it("reads mutez texts within 64 bits only", () => {
  expect(parseMutez("18446744073709551615")).toBe(MAX_RUNTIME_MUTEZ);
  expect(parseMutez("18446744073709551616")).toBeUndefined();
  expect(parseMutez("1.5")).toBeUndefined();
  expect(parseMutez("")).toBeUndefined();
});
