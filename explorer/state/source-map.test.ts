import { expect, it } from "vitest";
import { processorTime } from "../../test/support/processor-time.ts";
import { sourcesIn, withoutMap } from "./source-map.ts";

const ending = (map: unknown): string =>
  `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString("base64")}\n`;

it("reads the files of an inline map, own ones first", () => {
  const map = {
    sources: ["node_modules/a.js", "src/index.ts", "missing.ts"],
    sourcesContent: ["a", "é", null],
  };
  const code = `export default 1;${ending(map)}`;
  expect(sourcesIn(code)).toEqual([
    { name: "src/index.ts", text: "é" },
    { name: "node_modules/a.js", text: "a" },
  ]);
  expect(withoutMap(code)).toBe("export default 1;");
});

it.each([
  "",
  "export default 1;",
  `x${ending(1)}`,
  "x\n//# sourceMappingURL=data:application/json;base64,e30=\nmore",
])("finds none in %j", (code) => expect(sourcesIn(code)).toEqual([]));

it("is quick with a million beginnings of a map", () => {
  const code = "//# sourceMappingURL=data:application/json".repeat(250_000);
  const started = processorTime();
  expect(sourcesIn(code)).toEqual([]);
  expect(processorTime() - started).toBeLessThan(2_000);
});
