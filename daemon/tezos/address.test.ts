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

/** What Taquito packs, without the tag of PACK, the tag of bytes and their length. */
const byTaquito = (type: string, string: string): string =>
  packDataBytes({ string }, { prim: type } as never).bytes.slice(2 + 2 + 8);

const bytesByTaquito = (type: string, bytes: Uint8Array): unknown =>
  unpackDataBytes({ bytes: `050a${bytes.length.toString(16).padStart(8, "0")}${toHex(bytes)}` }, {
    prim: type,
  } as never);

/** Taquito's packing knows neither tz4 nor rollups. */
const taquitoAddress = fc.oneof(ofKind("tz1"), ofKind("tz2"), ofKind("tz3"), ofKind("KT1"));

describe("bytes that Taquito writes, and that are read back", () => {
  it("of addresses with their entrypoints", () => {
    // Taquito takes a second % for the end of the name; the protocol has it in names.
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

it("addresses of all kinds are read back from their 22 bytes, and from nothing longer or shorter", () => {
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

it("any bytes are one address in one form, or none", () => {
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

it("texts are ordered as their bytes are", () => {
  const order = (a: Uint8Array, b: Uint8Array): number => Math.sign(Buffer.compare(a, b));
  fc.assert(
    fc.property(anyAddress, anyAddress, publicKey, publicKey, (a, b, k, l) => {
      expect(Math.sign(compareAddresses(a, b))).toBe(order(addressBytes(a)!, addressBytes(b)!));
      // Keys of P-256 are ordered by their first coordinate, then by the second; a byte of parity stands before both.
      const bytesOf = (key: string): Uint8Array => publicKeyBytes(key)!;
      const isP256 = k.startsWith("p2pk") && l.startsWith("p2pk");
      const [x, y] = isP256 ? [bytesOf(k).subarray(2), bytesOf(l).subarray(2)] : [bytesOf(k), bytesOf(l)];
      expect(Math.sign(compareKeys(k, l))).toBe(order(x, y));
    }),
  );
});

it("an address that was read before does not pass for something else", () => {
  fc.assert(
    fc.property(implicitAddress, (text) => {
      expect(addressBytes(text)).toBeDefined();
      expect(chainIdBytes(text)).toBeUndefined();
      expect(publicKeyBytes(text)).toBeUndefined();
      expect(signatureBytes(text)).toBeUndefined();
    }),
  );
});
