import { packDataBytes } from "@taquito/michel-codec";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader, MalformedBytes } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { fromHex, toHex } from "./hex.ts";
import { decodeMicheline, encodedLength, encodeMicheline } from "./micheline-binary.ts";
import { parseMichelineText } from "./micheline-text.ts";
import {
  MAX_DEPTH,
  MAX_DIGITS,
  type Micheline,
  type MichelinePrim,
  expressionSize,
  numberAt,
  parseMicheline,
} from "./micheline.ts";
import { MAX_NUMBER_BYTES } from "./number-length.ts";
import { PRIMITIVE_NAMES } from "./primitives.ts";
import { integer, michelineOf } from "./testing/random-values.ts";

/** Without the tag of PACK, which Taquito puts in front. */
const byTaquito = (node: Micheline): string => packDataBytes(node as never).bytes.slice(2);

const isTaquitoPrimitive = (name: string): boolean => {
  try {
    byTaquito({ prim: name });
    return true;
  } catch {
    return false; // newer than Taquito
  }
};

it("primitives have Taquito's codes", () => {
  const known = PRIMITIVE_NAMES.filter(isTaquitoPrimitive);
  expect(known.length).toBeGreaterThan(150);
  for (const prim of known) expect(toHex(encodeMicheline({ prim }))).toBe(byTaquito({ prim }));
});

describe("any expression", () => {
  it("encodes to Taquito's bytes and decodes to the same expression", () => {
    fc.assert(
      fc.property(michelineOf({ mayOccur: isTaquitoPrimitive, mayBeLong: () => true }), (node) => {
        const bytes = encodeMicheline(node);
        expect(toHex(bytes)).toBe(byTaquito(node));
        expect(decodeMicheline(bytes)).toEqual(node);
        expect(encodedLength(node)).toBe(bytes.length);
      }),
      { numRuns: 500 },
    );
  });

  it("decodes from changed bytes in one form only, or is refused", () => {
    fc.assert(
      fc.property(michelineOf(), fc.nat(), fc.nat(255), (node, at, byte) => {
        const bytes = encodeMicheline(node);
        bytes[at % bytes.length] = byte;
        try {
          expect(toHex(encodeMicheline(decodeMicheline(bytes)))).toBe(toHex(bytes));
        } catch (error) {
          if (!(error instanceof MalformedBytes)) throw error;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

it("numbers have one encoding", () => {
  fc.assert(
    fc.property(integer, (value) => {
      const magnitude = value < 0n ? -value : value;
      const reader = new ByteReader(new ByteWriter().integer(value).natural(magnitude).finish());
      expect([reader.integer(), reader.natural(), reader.left]).toEqual([value, magnitude, 0]);
    }),
  );
});

it("the length of a number is known without its bytes", () => {
  const edges = [6n, 13n, 31n, 32n, 46n, 47n, 48n, 49n, 50n, 53n, 64n, 256n].flatMap((bits) => {
    const power = 1n << bits;
    return [power - 1n, power, power + 1n, 1n - power, -power, -power - 1n];
  });
  for (const value of [0n, -1n, ...edges]) {
    const node = { int: value.toString() };
    expect([value, encodedLength(node)]).toEqual([value, encodeMicheline(node).length]);
  }
});

it("the longest numbers may be sent again as JSON and as text", () => {
  const numberOf = (bits: number): Micheline =>
    decodeMicheline(encodeMicheline({ int: (2n ** BigInt(bits) - 1n).toString() }));
  let bits = 8 * MAX_NUMBER_BYTES;
  for (const sign of ["", "-"]) {
    const computed = { int: `${sign}${2n ** BigInt(bits) - 1n}` };
    expect(parseMicheline(computed)).toBe(computed);
    expect(parseMichelineText(computed.int)).toEqual(computed);
  }
  let longest = numberOf(bits);
  expect(() => {
    for (;;) longest = numberOf(++bits);
  }).toThrow(MalformedBytes);
  expect(JSON.stringify(parseMicheline(longest)).length).toBe(MAX_DIGITS + '{"int":""}'.length);
});

it.each([
  ["negative zero", "0040"],
  ["a number with an empty group", "00bf00"],
  ["an unknown primitive", "03ff"],
  ["an unknown tag", "0b00"],
  ["a text that is not UTF-8", "0100000001ff"],
  ["a long form of a short application", "0907000000040001000100000000"],
  ["annotations that are empty", "040b00000000"],
  ["bytes after the end", "000000"],
  ["a premature end", "0a00000002ff"],
  ["a list longer than the rest", "02ffffffff"],
  ["nothing", ""],
])("%s is refused", (_, hex) => {
  expect(() => decodeMicheline(fromHex(hex)!)).toThrow(MalformedBytes);
});

it("nesting is limited", () => {
  const nest = (levels: number): Uint8Array => fromHex(`${"0505".repeat(levels)}030b`)!;
  expect(encodeMicheline(decodeMicheline(nest(MAX_DEPTH)))).toEqual(nest(MAX_DEPTH));
  expect(() => decodeMicheline(nest(MAX_DEPTH + 1))).toThrow(MalformedBytes);
  expect(() => decodeMicheline(nest(100_000))).toThrow(MalformedBytes);
});

it.each<[string, Micheline]>([
  ["an unknown primitive", { prim: "UNKNOWN" }],
  ["bytes that are not hex", { bytes: "0g" }],
])("%s has no length, and is not encoded", (_, node) => {
  expect(() => encodeMicheline(node)).toThrow(MalformedBytes);
  expect(() => encodedLength(node)).toThrow(MalformedBytes);
});

it("a long number has its digits when they are read, copied or written as JSON", () => {
  for (const digits of ["7".repeat(1_000), `-${"8".repeat(1_000)}`, "9".repeat(10), `-${"1".repeat(154)}`]) {
    const node: Micheline = { prim: "Pair", args: [{ int: digits }, { int: "1" }] };
    const bytes = encodeMicheline(node);
    const decode = (): Micheline => decodeMicheline(bytes);
    expect(decode()).toEqual(node);
    expect(JSON.stringify(decode())).toBe(JSON.stringify(node));
    expect(structuredClone(decode())).toEqual(node);
    const [long] = (decode() as MichelinePrim).args!;
    expect({ ...(long as { int: string }) }).toEqual({ int: digits });
    expect(numberAt(long as { int: string }) === BigInt(digits)).toBe(true);
    expect(expressionSize(decode())).toEqual(expressionSize(node));
    expect(encodeMicheline(decode())).toEqual(bytes);
  }
});
