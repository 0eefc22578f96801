import { expect, it } from "vitest";
import { addressKind, looksLikeAddress } from "../tezos/address.ts";
import {
  BOOTSTRAP_ACCOUNTS,
  BRIDGE_ADDRESS,
  EXCHANGER_ADDRESS,
  ROLLUP_ADDRESS,
  ROLLUP_OPERATOR,
} from "./constants.ts";
import type { SandboxError } from "./errors.ts";
import { isRuntimeAddress, requireRuntimeAddress } from "./runtime-address.ts";
import { parseSecretKey } from "./secret-key.ts";

it("recognizes the kinds of the sandbox's own addresses", () => {
  expect(addressKind(BRIDGE_ADDRESS)).toBe("KT1");
  expect(addressKind(EXCHANGER_ADDRESS)).toBe("KT1");
  expect(addressKind(ROLLUP_ADDRESS)).toBe("sr1");
});

it("lists bootstrap accounts whose secret keys match their public keys and addresses", () => {
  for (const account of [...BOOTSTRAP_ACCOUNTS, ROLLUP_OPERATOR]) {
    const { publicKey } = parseSecretKey(account.secretKey);
    expect([publicKey.text, publicKey.address]).toEqual([account.publicKey, account.address]);
  }
});

it("distinguishes a wrong checksum, a wrong character and a wrong length", () => {
  const reasonOf = (text: string): unknown => {
    try {
      return requireRuntimeAddress(text);
    } catch (error) {
      return (error as SandboxError<"BAD_ADDRESS">).data.reason;
    }
  };
  expect(reasonOf("tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSy")).toContain("checksum");
  expect(reasonOf("tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZS0")).toContain("character");
  expect(reasonOf("tz1")).toContain("length");
  expect(reasonOf("bob")).toContain("begin");
});

it.each([
  ["tz4EECtMxAuJ9UDLaiMZH7G1GCFYUWsj8HZn", "UNSUPPORTED_RECEIVER"],
  [ROLLUP_ADDRESS, "UNSUPPORTED_RECEIVER"],
  ["tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSy", "BAD_ADDRESS"],
])("refuses %s as a receiver", (address, code) => {
  expect(isRuntimeAddress(address)).toBe(false);
  expect(() => requireRuntimeAddress(address)).toThrow(expect.objectContaining({ code }) as Error);
});

it("treats a mistyped address as an address, not as an alias", () => {
  expect(looksLikeAddress("tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSy")).toBe(true);
  expect(looksLikeAddress("tz1fan")).toBe(false);
});
