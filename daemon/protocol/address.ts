// Addresses of accounts and contracts: what kinds there are and why a text is not one.
import { type Base58Kind, base58Problem, decodeBase58, encodeBase58 } from "./base58.ts";
import { SandboxError } from "./errors.ts";

/** Kinds of addresses that layer 1 knows. */
export const ADDRESS_KINDS = [
  "tz1",
  "tz2",
  "tz3",
  "tz4",
  "KT1",
  "sr1",
] as const satisfies readonly Base58Kind[];
export type AddressKind = (typeof ADDRESS_KINDS)[number];

/** Kinds that have an account in the runtime: users (tz1, tz2, tz3) and smart functions (KT1). */
export const RUNTIME_ADDRESS_KINDS = ["tz1", "tz2", "tz3", "KT1"] as const satisfies readonly AddressKind[];

/** Kind of a valid address, or undefined when the text is not an address. */
export function addressKind(text: string): AddressKind | undefined {
  const kind = ADDRESS_KINDS.find((candidate) => text.startsWith(candidate));
  return kind !== undefined && decodeBase58(kind, text) !== undefined ? kind : undefined;
}

/** True when the text begins like an address, right or wrong: then it is not taken for an alias. */
export function looksLikeAddress(text: string): boolean {
  return /^(tz[1-4]|KT1|sr1)[1-9A-HJ-NP-Za-km-z]{20,}$/.test(text);
}

/** True for an address that can hold tez in the runtime. */
export function isRuntimeAddress(text: string): boolean {
  const kind = addressKind(text);
  return kind !== undefined && (RUNTIME_ADDRESS_KINDS as readonly string[]).includes(kind);
}

/** True for the address of a smart function. */
export function isSmartFunctionAddress(text: string): boolean {
  return addressKind(text) === "KT1";
}

/**
 * The address, checked.
 * @throws SandboxError BAD_ADDRESS (with the reason) or UNSUPPORTED_RECEIVER (tz4, sr1: no runtime account)
 */
export function requireRuntimeAddress(text: string): string {
  const kind = addressKind(text);
  if (kind === undefined) {
    throw new SandboxError("BAD_ADDRESS", {
      found: text,
      expected: "an address (tz1, tz2, tz3 or KT1)",
      reason: addressProblem(text),
    });
  }
  if (!(RUNTIME_ADDRESS_KINDS as readonly string[]).includes(kind)) {
    throw new SandboxError("UNSUPPORTED_RECEIVER", { found: text, kind });
  }
  return text;
}

/** Why a text is not a valid address, as part of a sentence. */
export function addressProblem(text: string): string {
  if (!ADDRESS_KINDS.some((kind) => text.startsWith(kind)))
    return "it does not begin with tz1, tz2, tz3 or KT1";
  switch (base58Problem(text)) {
    case "characters":
      return "it has a character that addresses never have";
    case "checksum":
      return "its checksum is wrong, so a character is missing or mistyped";
    case "length":
      return "it has the wrong length";
    case undefined:
      return "it has the wrong length";
  }
}

/** Address text of a 20-byte hash. */
export function encodeAddress(kind: AddressKind, hash: Uint8Array): string {
  return encodeBase58(kind, hash);
}
