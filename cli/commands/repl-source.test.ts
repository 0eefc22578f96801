import fc from "fast-check";
import { expect, it } from "vitest";
import { processorTime } from "../../test/support/processor-time.ts";
import { scanSource } from "./repl-source.ts";

it.each([
  ["f(1,", true],
  ["({ a: 1", true],
  ["`a", true],
  ["`a ${b", true],
  ["`a ${`b` + 1} c`", false],
  ["/* a", true],
  ["'a(' + \"[\" // {", false],
  ["/[({]/.test(x)", false],
  ["a / (b", true],
  ["a / b / c", false],
  ["x = /\\//", false],
  ["return /[}]/", false],
  ["'unfinished", false],
  ["a)", false],
])("knows whether %j is incomplete", (source, isOpen) => {
  expect(scanSource(source).isOpen).toBe(isOpen);
});

it.each([
  ["const a = 1; let b = 2", "var a = 1; var b = 2"],
  ["{ const a = 1 }", "{ const a = 1 }"],
  ["class A {}", "var A = class A {}"],
  ["let x = class {}", "var x = class {}"],
  ["a.let; 'const'; /let/", "a.let; 'const'; /let/"],
  ["f(() => { let a })", "f(() => { let a })"],
])("turns the top-level declarations of %j into variables", (source, asVariables) => {
  expect(scanSource(source).asVariables).toBe(asVariables);
});

it.each([
  ["await x", true],
  ["async () => { await x }", false],
  ["'await'", false],
  ["return 1", true],
  ["() => { return 1 }", false],
])("knows whether %j needs a function body", (source, isBody) => {
  expect(scanSource(source).isBody).toBe(isBody);
});

it("terminates for any text, and changes only the keywords that it knows", () => {
  const text = fc.array(
    fc.constantFrom(
      "const ",
      "let ",
      "class A",
      "{",
      "}",
      "`",
      "${",
      "/",
      "*",
      "'",
      '"',
      "\\",
      "\n",
      "x",
      ".",
      "(",
      ")",
      "é",
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(text, (parts) => {
      const source = parts.join("");
      const back = scanSource(source).asVariables.replaceAll(/var [^\s=]+ = (?=class)/g, "");
      expect(back.replaceAll(/\b(?:const|let|var)\b/g, "K")).toBe(
        source.replaceAll(/\b(?:const|let|var)\b/g, "K"),
      );
    }),
  );
});

it.each([
  ["brackets", `${"(".repeat(200_000)}${"await ".repeat(50_000)}`],
  ["classes", "class ".repeat(50_000)],
  ["templates", "`${".repeat(100_000)],
  ["slashes", "a / b /".repeat(50_000)],
])("scans %s in linear time", (_what, source) => {
  const started = processorTime();
  scanSource(source);
  expect(processorTime() - started).toBeLessThan(1_500);
});
