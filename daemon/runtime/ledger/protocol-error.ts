// Errors that the runtime protocol names: their texts are what receipts and guests see.

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

/** A failure by the rules of the protocol; the message is exactly its name. */
export class ProtocolError extends Error {
  constructor(name: ProtocolErrorName) {
    super(name);
    this.name = "ProtocolError";
  }
}
