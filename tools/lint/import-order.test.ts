import { Linter } from "eslint";
import { expect, it } from "vitest";
import { importOrder } from "./import-order.mjs";

const CONFIG: Linter.Config = {
  plugins: { house: { rules: { order: importOrder } } },
  rules: { "house/order": "error" },
};

const lines = (...sources: string[]) =>
  sources.map((from) => `import { ${from.replace(/\W/g, "_")} } from "${from}";`).join("\n");
/** Sources in their order after the fix. */
function fixed(code: string): string[] {
  const { output } = new Linter().verifyAndFix(code, CONFIG);
  return [...output.matchAll(/"(.+)"/g)].map(([, source]) => source!);
}

it("puts Node's modules first, then packages, then our files from far to near", () => {
  const code = lines("./a.ts", "../b.ts", "fastify", "../../c.ts", "node:fs");
  expect(new Linter().verify(code, CONFIG).map(({ ruleId }) => ruleId)).toEqual(["house/order"]);
  expect(fixed(code)).toEqual(["node:fs", "fastify", "../../c.ts", "../b.ts", "./a.ts"]);
});

it("keeps a side-effect import in place, and moves nothing past it", () => {
  const code = `${lines("./b.ts")}\nimport "./effect.ts";\n${lines("./a.ts")}`;
  expect(new Linter().verify(code, CONFIG)).toEqual([]);
  expect(fixed(code)).toEqual(["./b.ts", "./effect.ts", "./a.ts"]);
});

it("reports imports with a comment between them without fixing them", () => {
  const code = `${lines("./b.ts")}\n// why\n${lines("./a.ts")}`;
  expect(new Linter().verify(code, CONFIG)).toHaveLength(1);
  expect(fixed(code)).toEqual(["./b.ts", "./a.ts"]);
});
