import { describe, expect, it } from "vitest";
import passkeys from "../../protocol/fixtures/passkey.json" with { type: "json" };
import { operationHash, signOperation } from "../../protocol/runtime-operation.ts";
import { fromHex } from "../../tezos/hex.ts";
import { parsePublicKey, parseSignature, secretKeyFromBytes } from "../../tezos/keys.ts";
import { decodeSignedOperation, type DecodedSignedOperation } from "./decode.ts";
import { signatureRefusal } from "./verify.ts";

const [valid, withoutVerifier, wrong] = passkeys.signedOperations.map(({ signedOperation }) =>
  decodeSignedOperation(signedOperation),
) as [DecodedSignedOperation, DecodedSignedOperation, DecodedSignedOperation];
const refusal = (signed: DecodedSignedOperation): string | null =>
  signatureRefusal(signed, operationHash(signed.operation));

describe("passkeys", () => {
  it("sign the hash inside the client data", () => {
    expect(refusal(valid)).toBeNull();
  });

  it("are not ordinary signatures", () => {
    expect(refusal(withoutVerifier)).toBe("InvalidSignature");
  });

  it("with a wrong signature fail to verify", () => {
    expect(refusal(wrong)).toBe("PasskeyError: Verification failed");
  });

  it("of another operation fail by their challenge", () => {
    const other = { ...valid, operation: { ...valid.operation, nonce: 1n } };
    expect(refusal(other)).toBe("PasskeyError: Challenge does not match operation hash");
  });

  it("need a P-256 key and signature", () => {
    const key = secretKeyFromBytes("ed25519", new Uint8Array(32).fill(7)).publicKey;
    expect(refusal({ ...valid, key })).toBe("InvalidVerifier");
    const signature = { ...valid.signature, curve: "ed25519" as const };
    expect(refusal({ ...valid, signature })).toBe("InvalidVerifier");
  });

  it.each(["!!", "bm90IGpzb24", "e30"])("with the client data %s fail", (clientDataJSON) => {
    const verifier = { Passkey: { ...valid.verifier!.Passkey, clientDataJSON } };
    expect(refusal({ ...valid, verifier })).toMatch(/^PasskeyError/);
  });

  it("verify as made by a browser, and not with another key", () => {
    const sample = passkeys.rawAssertion;
    const signed = {
      ...valid,
      key: parsePublicKey(sample.publicKey)!,
      signature: parseSignature(sample.signature)!,
      verifier: {
        Passkey: { authenticatorData: sample.authenticatorData, clientDataJSON: sample.clientDataJSON },
      },
    };
    const hash = fromHex(sample.operationHash)!;
    expect(signatureRefusal(signed, hash)).toBeNull();
    const other = { ...signed, key: parsePublicKey(sample.wrongPublicKey)! };
    expect(signatureRefusal(other, hash)).toBe("PasskeyError: Verification failed");
  });
});

describe("ordinary signatures", () => {
  it.each(["ed25519", "secp256k1", "p256"] as const)(
    "of %s verify, and fail for another operation",
    (curve) => {
      const key = secretKeyFromBytes(curve, new Uint8Array(32).fill(9));
      const operation = { ...valid.operation, publicKey: key.publicKey.text };
      const signature = parseSignature(signOperation(operation, key).signature)!;
      const signed = { operation, key: key.publicKey, signature, verifier: null };
      expect(refusal(signed)).toBeNull();
      const other = { ...signed, operation: { ...operation, nonce: 5n } };
      expect(refusal(other)).toBe(
        curve === "ed25519" ? "Ed25519 error: signature error" : "InvalidSignature",
      );
    },
  );
});
