import { Parser, emitMicheline } from "@taquito/michel-codec";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MichelineSyntaxError, parseMichelineText, parseScriptText } from "./micheline-text.ts";
import { MAX_DEPTH, MAX_DIGITS } from "./micheline.ts";
import { michelineOf } from "./testing/random-values.ts";

const parser = new Parser({ expandMacros: false });
const byTaquito = (text: string): unknown =>
  JSON.parse(JSON.stringify(parser.parseMichelineExpression(text)));

it.each([
  ["on one line", {}],
  ["on many lines", { indent: "  ", newline: "\n" }],
])("Taquito's output %s parses to the original", (_, format) => {
  // Michelson strings are printable ASCII; Taquito escapes other characters as JSON does, which Michelson lacks.
  const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);
  const values = michelineOf().filter((node) => isPlain(JSON.stringify(node)));
  fc.assert(
    fc.property(values, (node) => {
      expect(parseMichelineText(emitMicheline(node as never, format))).toEqual(node);
    }),
    { numRuns: 500 },
  );
});

it.each([
  "Unit",
  "-5",
  '"a\\nb\\"\\\\"',
  "0x00fF",
  "(Pair 1 2)",
  "{}",
  "{ }",
  "{ 1 ; 2 ; }",
  '{ Elt "a" (Some 0x) ; Elt "b" None }',
  "{ parameter unit ; storage (pair (int %a) (nat :b @c)) ; code { CDR ; NIL operation ; PAIR } }",
  "{ # a comment }\n UNIT # the last }\n }",
  "{ /* a { comment } * */ UNIT /**/ ; /* */ DROP /***/ }",
  "(or %main (unit %a) (pair %b int (list nat)))",
])("%s parses as in Taquito", (text) => {
  const lowerCase = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (key, item: unknown) =>
      key === "bytes" ? (item as string).toLowerCase() : item,
    );
  expect(parseMichelineText(text)).toEqual(lowerCase(byTaquito(text)));
});

it("an application at the top needs no parentheses, and keeps its arguments", () => {
  expect(parseMichelineText('Pair 1 "a" {}')).toEqual(byTaquito('(Pair 1 "a" {})'));
});

it("a script parses the same with and without braces", () => {
  const sections = "parameter unit; storage unit; code { CDR; NIL operation; PAIR };";
  expect(parseScriptText(sections)).toEqual(parseScriptText(`{ ${sections} }`));
  expect(parseScriptText(sections)).toEqual(JSON.parse(JSON.stringify(parser.parseScript(sections))));
});

describe("other text is refused with its place", () => {
  it.each([
    ["", 0],
    ["  ", 2],
    ["{ UNIT", 6],
    ["(Pair 1", 7],
    ["Pair 1 2)", 8],
    ["1 2", 2],
    ["{ UNIT DROP", 11],
    ["0x1", 0],
    ['"open', 0],
    ['"\\u0041"', 0],
    ["{ UNIT; ? }", 7],
    ["/* open", 0],
    ["{ () }", 3],
    ["9".repeat(MAX_DIGITS + 1), 0],
  ])("%j at %i", (text, offset) => {
    expect(() => parseMichelineText(text)).toThrow(
      expect.objectContaining({ name: "MichelineSyntaxError", offset }) as Error,
    );
  });

  it("when it nests without limit", () => {
    expect(() => parseMichelineText("{".repeat(MAX_DEPTH + 2))).toThrow(MichelineSyntaxError);
    expect(() => parseMichelineText("(".repeat(100_000))).toThrow(MichelineSyntaxError);
    expect(() => parseMichelineText("{".repeat(1_000_000))).toThrow(MichelineSyntaxError);
  });
});
