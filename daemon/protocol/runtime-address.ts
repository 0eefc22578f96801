// Addresses that can have runtime accounts, and why a text is not an address.
import { type Address, ADDRESS_KINDS, type AddressKind, addressKind } from "../tezos/address.ts";
import { base58Problem } from "../tezos/base58.ts";
import { SandboxError } from "./errors.ts";

/** Kinds with an account in the runtime: users (tz1, tz2, tz3) and smart functions (KT1). */
const RUNTIME_ADDRESS_KINDS = ["tz1", "tz2", "tz3", "KT1"] as const satisfies readonly AddressKind[];

/** True for an address that can hold tez in the runtime. */
export function isRuntimeAddress(text: string): text is Address {
  const kind = addressKind(text);
  return kind !== undefined && (RUNTIME_ADDRESS_KINDS as readonly string[]).includes(kind);
}

/** True for the address of a smart function. */
export function isSmartFunctionAddress(text: string): text is Address {
  return addressKind(text) === "KT1";
}

/**
 * Validates an address.
 * @throws SandboxError BAD_ADDRESS (with the reason) or UNSUPPORTED_RECEIVER (tz4, sr1: no runtime account)
 */
export function requireRuntimeAddress(text: string): Address {
  const kind = addressKind(text);
  if (kind === undefined) {
    throw new SandboxError("BAD_ADDRESS", {
      found: text,
      expected: "an address (tz1, tz2, tz3 or KT1)",
      reason: addressProblem(text),
    });
  }
  if (!isRuntimeAddress(text)) {
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
