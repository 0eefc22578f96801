// Signatures of operations: ordinary ones over the operation hash, and those of passkeys, which sign it inside a
// browser's client data (WebAuthn).
import { createHash } from "node:crypto";
import type { PasskeyVerifier } from "../../protocol/runtime-operation.ts";
import { toHex } from "../../tezos/hex.ts";
import { booleanField, tryDecode, fieldsOf, textField } from "../../tezos/json-fields.ts";
import { verifyDigest, verifyMessage } from "../../tezos/keys.ts";
import type { DecodedSignedOperation } from "./decode.ts";

/** Receipt text for an invalid signature, or null when valid. @param hash operation hash, 32 bytes */
export function signatureRefusal(signed: DecodedSignedOperation, hash: Uint8Array): string | null {
  const { key, signature, verifier } = signed;
  if (verifier !== null) return passkeyRefusal(signed, verifier, hash);
  if (verifyMessage(key, hash, signature)) return null;
  // The real runtime passes on the message of the curve's library; clients look for this text.
  const sameCurve = key.curve === "ed25519" && signature.curve === "ed25519";
  return sameCurve ? "Ed25519 error: signature error" : "InvalidSignature";
}

function passkeyRefusal(
  { key, signature }: DecodedSignedOperation,
  { Passkey }: PasskeyVerifier,
  hash: Uint8Array,
): string | null {
  if (key.curve !== "p256" || signature.curve !== "p256") return "InvalidVerifier";
  const authenticatorData = base64Url(Passkey.authenticatorData);
  const clientData = base64Url(Passkey.clientDataJSON);
  if (authenticatorData === undefined || clientData === undefined) return "PasskeyError: Invalid base64url";
  const challenge = challengeOf(clientData);
  if (challenge === undefined) return "PasskeyError: Invalid client data";
  // The challenge is the hex text of the hash, not its bytes.
  if (challenge !== toHex(hash)) return "PasskeyError: Challenge does not match operation hash";
  const digest = sha256(Buffer.concat([authenticatorData, sha256(clientData)]));
  return verifyDigest(key, digest, signature.bytes) ? null : "PasskeyError: Verification failed";
}

function challengeOf(clientData: Uint8Array): string | undefined {
  const challenge = tryDecode(Buffer.from(clientData).toString("utf8"), (json) => {
    const fields = fieldsOf(json, "clientData");
    textField(fields["type"], "type");
    textField(fields["origin"], "origin");
    booleanField(fields["crossOrigin"], "crossOrigin");
    return textField(fields["challenge"], "challenge");
  });
  return challenge === undefined ? undefined : base64Url(challenge)?.toString("utf8");
}

function base64Url(text: string): Buffer | undefined {
  return /^[A-Za-z0-9_-]*$/.test(text) ? Buffer.from(text, "base64url") : undefined;
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
