import { packDataBytes, unpackDataBytes } from "@taquito/michel-codec";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addressBytes,
  addressKind,
  chainIdBytes,
  chainIdOf,
  compareAddresses,
  compareKeys,
  fullAddressBytes,
  fullAddressOf,
  keyHashBytes,
  publicKeyBytes,
  readAddress,
  readKeyHash,
  readPublicKey,
  signatureBytes,
  signatureOf,
} from "./address.ts";
import { ByteReader, MalformedBytes } from "./byte-reader.ts";
import { toHex } from "./hex.ts";
import { anyAddress, entrypointName, implicitAddress, ofKind, publicKey } from "./testing/random-values.ts";

/** Taquito's packed bytes without the PACK tag, the tag of bytes and their length. */
const byTaquito = (type: string, string: string): string =>
  packDataBytes({ string }, { prim: type } as never).bytes.slice(2 + 2 + 8);

const bytesByTaquito = (type: string, bytes: Uint8Array): unknown =>
  unpackDataBytes({ bytes: `050a${bytes.length.toString(16).padStart(8, "0")}${toHex(bytes)}` }, {
    prim: type,
  } as never);

/** Taquito packs neither tz4 nor rollup addresses. */
const taquitoAddress = fc.oneof(ofKind("tz1"), ofKind("tz2"), ofKind("tz3"), ofKind("KT1"));

describe("bytes equal Taquito's and decode to the same value", () => {
  it("of addresses with their entrypoints", () => {
    // Taquito ends the name at a second %, which the protocol allows in names.
    const name = entrypointName.filter((text) => !text.includes("%"));
    fc.assert(
      fc.property(taquitoAddress, fc.option(name), (address, entrypoint) => {
        const text = entrypoint === null || entrypoint === "default" ? address : `${address}%${entrypoint}`;
        const bytes = fullAddressBytes(text)!;
        expect(toHex(bytes)).toBe(byTaquito("address", text));
        expect(fullAddressOf(bytes)).toBe(text);
      }),
    );
  });

  it("of key hashes", () => {
    fc.assert(
      fc.property(taquitoAddress, (text) => {
        const bytes = keyHashBytes(text);
        if (text.startsWith("KT1")) return void expect(bytes).toBeUndefined();
        expect(toHex(bytes!)).toBe(byTaquito("key_hash", text));
        expect(readKeyHash(new ByteReader(bytes!))).toBe(text);
      }),
    );
  });

  it("of public keys", () => {
    fc.assert(
      fc.property(publicKey, (text) => {
        const bytes = publicKeyBytes(text)!;
        expect(toHex(bytes)).toBe(byTaquito("key", text));
        expect(readPublicKey(new ByteReader(bytes))).toBe(text);
      }),
    );
  });

  it("of signatures, whatever their prefix", () => {
    const signature = fc.oneof(ofKind("edsig"), ofKind("spsig1"), ofKind("p2sig"), ofKind("sig"));
    fc.assert(
      fc.property(signature, (text) => {
        const bytes = signatureBytes(text)!;
        expect(toHex(bytes)).toBe(byTaquito("signature", text));
        expect({ string: signatureOf(bytes) }).toEqual(bytesByTaquito("signature", bytes));
      }),
    );
  });

  it("of chain ids", () => {
    fc.assert(
      fc.property(ofKind("chainId"), (text) => {
        const bytes = chainIdBytes(text)!;
        expect(toHex(bytes)).toBe(byTaquito("chain_id", text));
        expect(chainIdOf(bytes)).toBe(text);
      }),
    );
  });
});

it("addresses of all kinds decode from exactly their 22 bytes", () => {
  fc.assert(
    fc.property(anyAddress, (text) => {
      const bytes = addressBytes(text)!;
      expect(bytes).toHaveLength(22);
      expect(readAddress(new ByteReader(bytes))).toBe(text);
      expect(() => readAddress(new ByteReader(bytes.subarray(0, 21)))).toThrow(MalformedBytes);
      expect(addressKind(text)).toBe(text.slice(0, 3));
    }),
  );
});

it("an address has one encoding", () => {
  const nearly = fc.tuple(fc.constantFrom(0, 1, 2, 3), fc.uint8Array({ minLength: 18, maxLength: 30 }));
  fc.assert(
    fc.property(nearly, ([tag, rest]) => {
      const bytes = Uint8Array.of(tag, ...rest);
      const text = fullAddressOf(bytes);
      if (text !== undefined) expect(toHex(fullAddressBytes(text)!)).toBe(toHex(bytes));
    }),
    { numRuns: 2_000 },
  );
});

it("texts sort as their bytes do", () => {
  const order = (a: Uint8Array, b: Uint8Array): number => Math.sign(Buffer.compare(a, b));
  fc.assert(
    fc.property(anyAddress, anyAddress, publicKey, publicKey, (a, b, k, l) => {
      expect(Math.sign(compareAddresses(a, b))).toBe(order(addressBytes(a)!, addressBytes(b)!));
      // P-256 keys sort by the first coordinate, then the second; the encoding has a parity byte before them.
      const bytesOf = (key: string): Uint8Array => publicKeyBytes(key)!;
      const isP256 = k.startsWith("p2pk") && l.startsWith("p2pk");
      const [x, y] = isP256 ? [bytesOf(k).subarray(2), bytesOf(l).subarray(2)] : [bytesOf(k), bytesOf(l)];
      expect(Math.sign(compareKeys(k, l))).toBe(order(x, y));
    }),
  );
});

it("a cached address does not decode as another kind", () => {
  fc.assert(
    fc.property(implicitAddress, (text) => {
      expect(addressBytes(text)).toBeDefined();
      expect(chainIdBytes(text)).toBeUndefined();
      expect(publicKeyBytes(text)).toBeUndefined();
      expect(signatureBytes(text)).toBeUndefined();
    }),
  );
});
