// Digests are the same before and after the fast functions are loaded.
import { blake2b } from "@noble/hashes/blake2b";
import { keccak_256 } from "@noble/hashes/sha3";
import { beforeAll, describe, expect, it } from "vitest";
import { blake2b160, blake2b256 } from "./blake2b.ts";
import { fastHashes, loadHashes } from "./fast-hashes.ts";
import { keccak256 } from "./keccak.ts";

/** Around the sizes of blocks and of the memory that is hashed at once. */
const LENGTHS = [...Array(300).keys(), 16_383, 16_384, 16_385, 70_001];
const bytesOf = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 151) % 256);

describe("fast hashes", () => {
  const before = LENGTHS.map((length) => blake2b256(bytesOf(length)));
  beforeAll(loadHashes);

  it("are those of the slow functions", () => {
    expect(fastHashes()).toBeDefined();
    LENGTHS.forEach((length, i) => {
      const bytes = bytesOf(length);
      expect(blake2b256(bytes)).toEqual(before[i]);
      expect(blake2b256(bytes)).toEqual(blake2b(bytes, { dkLen: 32 }));
      expect(blake2b160(bytes)).toEqual(blake2b(bytes, { dkLen: 20 }));
      expect(keccak256(bytes)).toEqual(keccak_256(bytes));
    });
  });

  it("take texts as UTF-8 and parts of buffers", () => {
    expect(blake2b256("é€😀")).toEqual(blake2b("é€😀", { dkLen: 32 }));
    const part = Buffer.from(bytesOf(500)).subarray(3, 77);
    expect(blake2b256(part)).toEqual(blake2b(part, { dkLen: 32 }));
  });

  it("are not overwritten by the next", () => {
    const first = blake2b256("a");
    blake2b256("b");
    expect(first).toEqual(blake2b("a", { dkLen: 32 }));
  });
});
