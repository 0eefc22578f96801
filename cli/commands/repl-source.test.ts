import fc from "fast-check";
import { expect, it } from "vitest";
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
])("knows whether %j goes on", (source, isOpen) => {
  expect(scanSource(source).isOpen).toBe(isOpen);
});

it.each([
  ["const a = 1; let b = 2", "var a = 1; var b = 2"],
  ["{ const a = 1 }", "{ const a = 1 }"],
  ["class A {}", "var A = class A {}"],
  ["let x = class {}", "var x = class {}"],
  ["a.let; 'const'; /let/", "a.let; 'const'; /let/"],
  ["f(() => { let a })", "f(() => { let a })"],
])("makes variables of the declarations at the top of %j", (source, asVariables) => {
  expect(scanSource(source).asVariables).toBe(asVariables);
});

it.each([
  ["await x", true],
  ["async () => { await x }", false],
  ["'await'", false],
  ["return 1", true],
  ["() => { return 1 }", false],
])("knows whether %j needs the body of a function", (source, isBody) => {
  expect(scanSource(source).isBody).toBe(isBody);
});

it("comes to an end with any text, and changes no more than the words it knows", () => {
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
