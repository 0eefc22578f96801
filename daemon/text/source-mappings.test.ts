import { buildSync } from "esbuild";
import { expect, it } from "vitest";
import { Mappings } from "./source-mappings.ts";

it("finds the segments that a bundler wrote", () => {
  const source = `export const one = 1;\n\nexport const two = (): never => { throw new Error("two"); };\n`;
  const options = { format: "esm", sourcemap: "external", outfile: "out.js", write: false } as const;
  const { outputFiles } = buildSync({
    stdin: { contents: source, sourcefile: "a.ts", loader: "ts" },
    ...options,
  });
  const [map, code] = [".map", ".js"].map((end) => outputFiles.find(({ path }) => path.endsWith(end))!.text);
  const mappings = new Mappings((JSON.parse(map!) as { mappings: string }).mappings);
  const row = code!.split("\n").findIndex((line) => line.includes("throw"));
  const column = code!.split("\n")[row]!.indexOf("throw");
  const [, , line] = source.split("\n");
  const place = { source: 0, line: 2, column: line!.indexOf("throw") };
  expect([column, column + 3].map((each) => mappings.at(row, each))).toEqual([place, place]);
});

it("adds up, and begins each row at column 0", () => {
  const mappings = new Mappings("EACE,IAEA;;EDDF");
  expect(mappings.at(0, 1)).toBeUndefined();
  expect(mappings.first(0)).toEqual({ source: 0, line: 1, column: 2 });
  expect([2, 5].map((column) => mappings.at(0, column))).toEqual(Array(2).fill(mappings.first(0)));
  expect(mappings.at(0, 6)).toEqual({ source: 0, line: 3, column: 2 });
  expect(mappings.last(0)).toEqual(mappings.at(0, 6));
  expect([mappings.first(1), mappings.last(1), mappings.at(1, 9)]).toEqual([undefined, undefined, undefined]);
  expect([mappings.first(-1), mappings.last(3), mappings.at(9, 9)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

it("tells the place of a column within a segment", () => {
  const mappings = new Mappings("EACE,IAEA");
  expect(mappings.within(0, 1)).toBeUndefined();
  expect(mappings.within(0, 2)).toEqual(mappings.first(0));
  expect(mappings.within(0, 5)).toEqual({ source: 0, line: 1, column: 5 });
  expect(mappings.within(0, 7)).toEqual({ source: 0, line: 3, column: 3 });
});

it.each(["EDAA", "EADA", "EAAD"])("has no place before the beginning of a source: %s", (text) => {
  expect(new Mappings(text).at(0, 2)).toBeUndefined();
});

it.each(["E", "EA", "EAA", "EAA!", "EAA\u2126", "EAAAgggggggggA", "!AAA"])(
  "skips a segment without a source, and a malformed one: %s",
  (text) => {
    const mappings = new Mappings(`${text};AACA`);
    expect([mappings.first(0), mappings.last(0)]).toEqual([undefined, undefined]);
    expect(mappings.first(1)).toEqual({ source: 0, line: 1, column: 0 });
  },
);
