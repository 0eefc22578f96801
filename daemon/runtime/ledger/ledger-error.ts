// Errors named by the runtime protocol: receipts and guests see their texts.

export type ProtocolErrorName =
  | "InvalidNonce"
  | "NoncePassed"
  | "InsufficientFunds"
  | "BalanceOverflow"
  | "AccountExists"
  | "InvalidAddress"
  | "AddressTypeMismatch"
  | "InvalidInjector"
  | "RevealTypeMismatch"
  | "RevealNotSupported"
  | "InvalidSignature"
  | "InvalidVerifier";

/** A protocol failure; the message is exactly its name. */
export class ProtocolError extends Error {
  constructor(name: ProtocolErrorName) {
    super(name);
    this.name = "ProtocolError";
  }
}
