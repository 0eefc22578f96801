import { Parser } from "@taquito/michel-codec";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MichelineSyntaxError, parseMichelsonText } from "./micheline-text.ts";
import { MAX_DEPTH } from "./micheline.ts";

const COMPARISONS = ["EQ", "NEQ", "LT", "GT", "LE", "GE"];
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const byTaquito = (text: string): unknown => plain(new Parser().parseMichelineExpression(text));

const letters = (of: string) => fc.stringMatching(new RegExp(`^[${of}]{1,8}$`));

/** A random tree of pairs in the letters of `PAPPAIIR`. */
const { tree } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc
    .tuple(
      fc.oneof({ maxDepth: 4 }, fc.constant("A"), tie("tree")),
      fc.oneof({ maxDepth: 4 }, fc.constant("I"), tie("tree")),
    )
    .map(([left, right]) => `P${left}${right}`),
}));
const leaves = (pairs: string): number => pairs.replaceAll("P", "").length;

const annotation = (mark: string) => fc.stringMatching(/^[a-z]{1,4}$/).map((name) => mark + name);
const annotations = (fields: number) =>
  fc
    .tuple(
      fc.array(annotation("%"), { maxLength: fields }),
      fc.array(fc.oneof(annotation("@"), annotation(":")), { maxLength: 2 }),
    )
    .map((lists) =>
      lists
        .flat()
        .map((text) => ` ${text}`)
        .join(""),
    );

const maybe = annotations(1);
const CODE = "{ PUSH int 1 ; CADR }";

const MACROS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  comparisons: fc
    .tuple(fc.constantFrom(...COMPARISONS), maybe)
    .chain(([test, annots]) =>
      fc.constantFrom(
        `CMP${test}${annots}`,
        `IF${test}${annots} { CMP${test} } {}`,
        `IFCMP${test}${annots} {} ${CODE}`,
        `ASSERT_${test}`,
        `ASSERT_CMP${test}`,
      ),
    ),
  failures: maybe.chain((annots) =>
    fc.constantFrom(
      "FAIL",
      "ASSERT",
      "ASSERT_NONE",
      `ASSERT_SOME${annots}`,
      `ASSERT_LEFT${annots}`,
      `ASSERT_RIGHT${annots}`,
    ),
  ),
  branches: maybe.map((annots) => `IF_SOME${annots} { FAIL } { IF_RIGHT {} ${CODE} }`),
  fields: fc.tuple(letters("AD"), maybe).map(([path, annots]) => `C${path}R${annots}`),
  places: fc
    .tuple(fc.constantFrom("CAR", "CDR"), fc.nat(40), maybe)
    .map(([name, place, annots]) => `${name} ${place}${annots}`),
  pairs: tree
    .filter((pairs) => pairs !== "PAI")
    .chain((pairs) => annotations(leaves(pairs)).map((annots) => `${pairs}R${annots}`)),
  unpairs: tree.map((pairs) => `UN${pairs}R`),
  "new fields": fc.tuple(letters("AD"), maybe).map(([path, annots]) => `SET_C${path}R${annots}`),
  "changed fields": fc.tuple(letters("AD"), maybe).map(([path, annots]) => `MAP_C${path}R${annots} ${CODE}`),
  depths: fc
    .tuple(fc.integer({ min: 2, max: 9 }), maybe)
    .chain(([depth, annots]) =>
      fc.constantFrom(`D${"I".repeat(depth)}P { CMPEQ }`, `D${"U".repeat(depth)}P${annots}`),
    ),
};

it.each(Object.entries(MACROS))("macros for %s expand as in Taquito", (_, macro) => {
  fc.assert(
    fc.property(macro, (text) => {
      expect(parseMichelsonText(`{ ${text} }`)).toEqual(byTaquito(`{ ${text} }`));
    }),
    { numRuns: 200 },
  );
});

it.each([
  "PAIR",
  "PAIR 3",
  "UNPAIR",
  "UNPAIR 4",
  "CAR",
  "CDR",
  "DUP 2",
  "DIP { UNIT }",
  "DIP 2 { UNIT }",
  "IF {} {}",
])("%s is not a macro", (text) => {
  expect(parseMichelsonText(`{ ${text} }`)).toEqual(byTaquito(`{ ${text} }`));
});

describe("misused macros are refused with their place", () => {
  it.each([
    "CMPEQ 1",
    "FAIL @x",
    "IF_SOME {}",
    "PAPPR",
    "PAIAIR",
    "PAPAIR %a %b %c %d",
    "SET_CAR %a %b",
    "MAP_CAR",
    "CAR {}",
    "DIIP",
    `C${"A".repeat(200)}R`,
  ])("%s", (text) => {
    expect(() => parseMichelsonText(`{ UNIT; ${text} }`)).toThrow(
      expect.objectContaining({ name: "MichelineSyntaxError", offset: 8 }) as Error,
    );
  });

  it("when they nest without limit", () => {
    const nest = (levels: number): string =>
      `{ ${"MAP_CAAAAAAAAAAAAAAAAAAAAR { ".repeat(levels)} UNIT ${"}".repeat(levels)} }`;
    expect(() => parseMichelsonText(nest(3))).not.toThrow();
    expect(() => parseMichelsonText(nest(MAX_DEPTH / 4))).toThrow(MichelineSyntaxError);
  });
});
