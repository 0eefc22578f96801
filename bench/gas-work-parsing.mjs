// What the engine parses and compiles, for bench/gas-prices.mjs.
import { grouped, sized, tried } from "./gas-work.mjs";

/** @returns JSON and source text of all shapes */
export function parsingWork() {
  return [
    ...grouped("JSON, eval, Function", [
      ...sized(
        "JSON.parse",
        "const t = JSON.stringify(Array.from({ length: N }, (_, i) => ({ i })))",
        "JSON.parse(t)",
      ),
      ...sized("JSON.parse of a text", "const t = JSON.stringify('aé'.repeat(N))", "JSON.parse(t)"),
      ...sized(
        "JSON.parse of numbers",
        "const t = JSON.stringify(Array(N).fill(1.2345e-7))",
        "JSON.parse(t)",
      ),
      ...sized("JSON.parse of spaces", "const t = ' '.repeat(N) + '1'", "JSON.parse(t)"),
      ...sized(
        "JSON.parse nested",
        "const t = '['.repeat(N) + ']'.repeat(N)",
        tried("JSON.parse(t)"),
        [10, 1000],
      ),
      ...sized(
        "JSON.parse of one name",
        "const t = '{' + '\"a\":1,'.repeat(N) + '\"b\":1}'",
        "JSON.parse(t)",
      ),
      ...sized(
        "JSON.stringify",
        "const t = Array.from({ length: N }, (_, i) => ({ i }))",
        "JSON.stringify(t)",
      ),
      ...sized("JSON.stringify of a text", "const t = '\\n'.repeat(N)", "JSON.stringify(t)"),
      ...sized(
        "JSON.stringify nested",
        "let t = []; for (let i = 0; i < N; i++) t = [t]",
        tried("JSON.stringify(t)"),
        [10, 300, 1000],
      ),
      ...sized("JSON.stringify with spaces", "const t = Array(N).fill(1)", "JSON.stringify(t, null, 10)"),
      ...sized("eval of statements", "const t = 'x=1;'.repeat(N)", "let x; eval(t)", [10, 1000, 20000]),
      ...sized(
        "eval of variables",
        "const t = Array.from({ length: N }, (_, i) => `let v${i}=1;`).join('')",
        "eval(t)",
        [10, 1000, 3000],
      ),
      ...sized(
        "eval of functions",
        "const t = 'function f(){return 1}'.repeat(N)",
        "eval(t)",
        [10, 1000, 10000],
      ),
      ...sized(
        "eval of literals",
        "const t = '[' + '1.5,\"a\",'.repeat(N) + ']'",
        "eval(t)",
        [10, 1000, 20000],
      ),
      ...sized("eval of spaces", "const t = ' '.repeat(N) + '1'", "eval(t)"),
      ...sized("eval of a comment", "const t = '/*' + 'x'.repeat(N) + '*/1'", "eval(t)"),
      ...sized(
        "eval of nested functions",
        "const t = '(()=>'.repeat(N) + '1' + ')'.repeat(N)",
        tried("eval(t)"),
        [10, 100],
      ),
      ...sized(
        "eval of nested scopes",
        "const t = '{let a=1;'.repeat(N) + '}'.repeat(N)",
        tried("eval(t)"),
        [10, 300],
      ),
      ...sized(
        "eval of captured variables",
        "const t = Array.from({ length: N }, (_, i) => `let v${i}=1;`).join('') + '(() => {' + Array.from({ length: N }, (_, i) => `v${i};`).join('') + '})()'",
        "eval(t)",
        [10, 1000, 3000],
      ),
      ...sized(
        "eval of labels",
        "const t = Array.from({ length: N }, (_, i) => `l${i}:`).join('') + ';'",
        tried("eval(t)"),
        [10, 300],
      ),
      ...sized(
        "eval of cases",
        "const t = 'switch(1){' + Array.from({ length: N }, (_, i) => `case ${i + 5}:`).join('') + '}'",
        "eval(t)",
        [10, 1000, 10000],
      ),
      ...sized(
        "eval of a class",
        "const t = '(class{' + Array.from({ length: N }, (_, i) => `#p${i}=1;m${i}(){}`).join('') + '})'",
        "eval(t)",
        [10, 1000],
      ),
      ...sized("Function", "const t = 'return 1;'.repeat(N)", "new Function(t)", [10, 1000, 20000]),
      ...sized(
        "stack of an error",
        "const f = (n) => n ? f(n - 1) : new Error('x').stack",
        "f(N)",
        [10, 500],
      ),
    ]),
  ];
}
