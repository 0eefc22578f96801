import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { processorTime } from "../../test/support/processor-time.ts";
import { JsonText, parseExact, stringifyExact, toUnsigned } from "./exact-json.ts";

/** Without values that round-trip differently: integers beyond 2^53 come back as bigint. */
const valuesWithoutBigIntegers = fc
  .jsonValue()
  .filter((value) => !/(^|[^.\d])\d{16}/.test(JSON.stringify(value)));

describe("stringifyExact", () => {
  it("writes bigints of any size as plain numbers", () => {
    expect(stringifyExact({ a: 1n, b: 2n ** 64n - 1n, c: -(2n ** 60n) })).toBe(
      '{"a":1,"b":18446744073709551615,"c":-1152921504606846976}',
    );
  });

  it("leaves strings that look like big numbers unchanged", () => {
    expect(stringifyExact(["18446744073709551615", 1n])).toBe('["18446744073709551615",1]');
  });
});

describe("parseExact", () => {
  it("keeps integers that a double cannot hold", () => {
    expect(parseExact('{"a":9007199254740993,"b":[18446744073709551615],"c":-9007199254740993}')).toEqual({
      a: 9007199254740993n,
      b: [18446744073709551615n],
      c: -9007199254740993n,
    });
  });

  it("keeps them wherever a number may be", () => {
    const big = 12345678901234567n;
    for (const around of [
      "#",
      " #",
      "[#]",
      "[1,#]",
      "[ #]",
      '{"a":#}',
      '{"a": #}',
      '{"a":\n#}',
      "[1,\t#]",
      "[\r#]",
    ])
      for (const sign of [1n, -1n]) {
        const found = parseExact(around.replace("#", String(sign * big)));
        expect(
          [found]
            .flat(2)
            .flatMap((each) => (typeof each === "object" ? Object.values(each as object) : each)),
        ).toContain(sign * big);
      }
  });

  it("yields numbers for everything that fits a double", () => {
    expect(parseExact("[9007199254740991,1,1.5,1e20,1234567890123456.5,12345678901234567e3]")).toEqual([
      9007199254740991, 1, 1.5, 1e20, 1234567890123456.5, 12345678901234567e3,
    ]);
  });

  it("leaves digits in strings unchanged, also next to escapes", () => {
    const value = { 'k"9007199254740993': 'v\\"9007199254740993,', n: "\\" };
    expect(parseExact(JSON.stringify(value))).toEqual(value);
  });

  it("takes linear time for any text", () => {
    const length = 2_000_000;
    const hostile = [
      `1234567890123456"${'\\"'.repeat(length / 2)}`,
      `["${'\\"'.repeat(length / 2)}",1234567890123456789]`,
      `["${"\\\\".repeat(length / 2)}",1234567890123456789]`,
      '"'.repeat(length) + "1234567890123456789",
      "1".repeat(length),
      `[${"1234567890123456789,".repeat(length / 20)}0]`,
      `${"1.".repeat(length / 2)}`,
      `${"-".repeat(length)}1234567890123456789`,
      "[".repeat(length) + "1234567890123456789",
      `${"[".repeat(length / 2)}1234567890123456789${"]".repeat(length / 2)}`,
    ];
    const started = processorTime();
    for (const text of hostile) {
      try {
        parseExact(text);
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
      }
    }
    // Each takes some 20 ms; a quadratic scan would take minutes for the first alone.
    expect(processorTime() - started).toBeLessThan(5_000);
  });

  it("refuses a big number where only a string is allowed", () => {
    expect(() => parseExact("{9007199254740993:1}")).toThrow(SyntaxError);
  });

  it("leaves integers that are too long for amounts to JSON", () => {
    expect(parseExact(`[${"9".repeat(41)},1]`)).toEqual([1e41, 1]);
  });

  it.each(["", "{", "01234567890123456789", "[9007199254740993", "9007199254740993 x", "-"])(
    "refuses %j",
    (text) => {
      expect(() => parseExact(text)).toThrow(SyntaxError);
    },
  );

  it("reads what stringifyExact writes", () => {
    fc.assert(
      fc.property(valuesWithoutBigIntegers, fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }), (value, big) => {
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        expect(parseExact(stringifyExact({ value: plain, big }))).toEqual({ value: plain, big });
      }),
    );
  });
});

describe("toUnsigned", () => {
  it.each([
    [0, 0n],
    [5, 5n],
    [2n ** 64n, 2n ** 64n],
    [-1, undefined],
    [-1n, undefined],
    [1.5, undefined],
    [2 ** 53, undefined],
    ["1", undefined],
    [null, undefined],
  ])("of %s is %s", (value, expected) => {
    expect(toUnsigned(value)).toBe(expected);
  });
});

it("writes JSON text as it is, whatever is in it", () => {
  const texts = ['{"e":1e400,"n":1.0}', '"$1 $&"', "12345678901234567890"];
  expect(stringifyExact({ all: texts.map((text) => new JsonText(text)), big: 2n ** 64n })).toBe(
    `{"all":[${texts.join(",")}],"big":18446744073709551616}`,
  );
});
