import { InMemorySigner } from "@taquito/signer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashOfKey } from "./address.ts";
import { checkSignature } from "./check-signature.ts";
import accounts from "./fixtures/keys-and-addresses.json" with { type: "json" };
import signatures from "./fixtures/signatures.json" with { type: "json" };
import { fromHex, toHex } from "./hex.ts";
import {
  parsePublicKey,
  parseSignature,
  randomSecretKey,
  secretKeyFromBytes,
  secretKeyOf,
  signMessage,
  verifyMessage,
} from "./keys.ts";

const flip = (bytes: Uint8Array): Uint8Array => bytes.map((byte, i) => (i === 5 ? byte ^ 1 : byte));

describe("public keys", () => {
  it.each(accounts.publicKeyToAddress)("$publicKey has the address $address", ({ publicKey, address }) => {
    expect(parsePublicKey(publicKey)?.address).toBe(address);
  });

  it.each([
    "",
    "edpk",
    "edpkukK9ecWxib28zi52nvbXTdsYt8rYcvmt5bdH8KjipWXm8sH3Qj",
    "BLpk1",
    "tz1cD5CuvAALcxgypqBXcBQEA8dkLJivoFjU",
  ])("%j is not a public key", (text) => {
    expect(parsePublicKey(text)).toBeUndefined();
  });
});

describe("secret keys", () => {
  it.each(accounts.ed25519KeyPairs)(
    "of $address give its public key",
    ({ secretKey, publicKey, address }) => {
      const key = secretKeyOf(secretKey)!;
      expect([key.publicKey.text, key.publicKey.address, key.text]).toEqual([publicKey, address, secretKey]);
    },
  );

  it.each(["", "edsk", "edsk3M1HxYgWowRxyQQJTp3Zz9QwpSawRmzdvu7fKzxEgwTmggiRb4"])(
    "%j is not a secret key",
    (text) => {
      expect(secretKeyOf(text)).toBeUndefined();
    },
  );
});

describe("signatures", () => {
  it.each(signatures.vectors)("of $curve are signed and verified as in the published vectors", (vector) => {
    const key = secretKeyOf(vector.secretKey)!;
    const message = fromHex(vector.messageHex)!;
    expect(key.publicKey.text).toBe(vector.publicKey);
    const signature = parseSignature(vector.signature)!;
    expect(verifyMessage(key.publicKey, message, signature)).toBe(true);
    expect(signMessage(key, message)).toBe(vector.signature);
    expect(verifyMessage(key.publicKey, flip(message), signature)).toBe(false);
    expect(verifyMessage(key.publicKey, message, { ...signature, bytes: flip(signature.bytes) })).toBe(false);
  });

  it("of another key or curve do not verify", () => {
    const [first, second] = [randomSecretKey(), randomSecretKey()];
    const message = new Uint8Array(32);
    const signature = parseSignature(signMessage(first, message))!;
    expect(verifyMessage(second.publicKey, message, signature)).toBe(false);
    expect(verifyMessage(first.publicKey, message, { ...signature, curve: "p256" })).toBe(false);
  });

  it.each([...signatures.invalidInputs.map(({ signature }) => signature), "", "sigNxyz"])(
    "%j is not a signature",
    (text) => {
      expect(parseSignature(text)).toBeUndefined();
    },
  );

  it("out of range are wrong, not an exception", () => {
    const vector = signatures.vectors.find(({ curve }) => curve === "secp256k1")!;
    const key = secretKeyOf(vector.secretKey)!.publicKey;
    expect(
      verifyMessage(key, new Uint8Array(4), { curve: "secp256k1", bytes: new Uint8Array(64).fill(255) }),
    ).toBe(false);
    expect(verifyMessage(key, new Uint8Array(4), { curve: "secp256k1", bytes: new Uint8Array(64) })).toBe(
      false,
    );
  });
});

describe("random keys of a curve", () => {
  const secret = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .filter((bytes) => bytes[0]! < 0xff && bytes[1]! > 0);

  it.each(["ed25519", "secp256k1", "p256"] as const)(
    "%s have the signatures and addresses that Taquito computes",
    async (curve) => {
      await fc.assert(
        fc.asyncProperty(secret, fc.uint8Array({ maxLength: 100 }), async (bytes, message) => {
          const key = secretKeyFromBytes(curve, bytes);
          const signer = new InMemorySigner(key.text);
          expect([key.publicKey.text, key.publicKey.address]).toEqual([
            await signer.publicKey(),
            await signer.publicKeyHash(),
          ]);
          const theirs = parseSignature((await signer.sign(toHex(message))).prefixSig)!;
          expect(verifyMessage(key.publicKey, message, theirs)).toBe(true);
          expect(
            verifyMessage(key.publicKey, flip(Uint8Array.of(1, 2, 3, 4, 5, 6, ...message)), theirs),
          ).toBe(false);
          expect(verifyMessage(key.publicKey, message, parseSignature(signMessage(key, message))!)).toBe(
            true,
          );
          expect(hashOfKey(key.publicKey.text)).toBe(key.publicKey.address);
          expect(checkSignature(key.publicKey.text, theirs.bytes, message)).toBe(true);
        }),
        { numRuns: 20 },
      );
    },
  );
});
