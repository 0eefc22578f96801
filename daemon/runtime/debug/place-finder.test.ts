import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { CodePlace } from "../../protocol/debug-api.ts";
import { engineDirectory } from "../test-node.ts";
import { PlaceFinder } from "./place-finder.ts";
import { SourceShelf } from "./source-shelf.ts";

const ADDRESS = "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ";
const OTHER = "KT1NMb73fpb4TEmC3YmspjEyha1uu4RMoKSP";
const SOURCE = `interface Row { n: number }

export default (row: Row): never => {
  throw new Error(String(row.n));
};
`;

let directory: string;
let map: string;
let thrown: CodePlace;
beforeAll(async () => {
  directory = engineDirectory();
  const { outputFiles } = await build({
    stdin: { contents: SOURCE, loader: "ts", sourcefile: "row.ts" },
    ...{ format: "esm", minify: true, sourcemap: "external", outfile: "out.js", write: false },
  });
  const [text, code] = [".map", ".js"].map((end) => outputFiles.find(({ path }) => path.endsWith(end))!.text);
  map = text!;
  const [before] = code!.split("new Error");
  thrown = {
    address: ADDRESS,
    line: before!.split("\n").length,
    column: before!.split("\n").at(-1)!.length + 1,
  };
}, 60_000);

let shelf: SourceShelf;
let finder: PlaceFinder;
beforeEach(() => {
  shelf = new SourceShelf();
  finder = new PlaceFinder(shelf, directory);
});
afterEach(() => finder.close());

const shelve = (source: string) => ({ map: gzipSync(map), sources: [source] });

it("finds the source of a place by the map of the shelf, and keeps what it found", async () => {
  shelf.put(ADDRESS, shelve("/work/row.ts"));
  const found = { source: "/work/row.ts", line: 4, column: 9 };
  expect(await finder.find([thrown, { ...thrown, address: OTHER }, thrown])).toEqual([found, null, found]);
  // Without a thread there would be no answer, so this one is kept.
  const again = finder.find([thrown]);
  finder.close();
  expect(await again).toEqual([found]);
});

it("finds a place of code that is its own source, and none by a damaged map", async () => {
  shelf.put(ADDRESS, { map: undefined, sources: ["/work/plain.js"] });
  expect(await finder.find([thrown])).toEqual([
    { source: "/work/plain.js", line: thrown.line, column: thrown.column },
  ]);
  shelf.put(ADDRESS, { map: Buffer.from([0x1f, 0x8b, 1]), sources: ["/work/plain.js"] });
  expect(await finder.find([thrown])).toEqual([null]);
});

it("takes the new source when a function is shelved again", async () => {
  for (const source of ["/work/one.ts", "/work/two.ts"]) {
    shelf.put(ADDRESS, shelve(source));
    expect(await finder.find([thrown])).toMatchObject([{ source }]);
  }
});

it("answers many questions at once with one thread, and refuses too many", async () => {
  shelf.put(ADDRESS, shelve("/work/row.ts"));
  const asked = Array.from({ length: 11 }, (_, i) =>
    Array.from({ length: 200 }, (_each, j) => ({ ...thrown, column: 1 + 200 * i + j })),
  );
  const answers = await Promise.allSettled(asked.map((places) => finder.find(places)));
  expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
  expect(answers.at(-1)).toMatchObject({ reason: { code: "SANDBOX_BUSY" } });
  expect(answers[0]).toMatchObject({ value: { length: 200 } });
});

it("reads a map of millions of rows in little memory", async () => {
  const hostile = `{"sources":["row.ts"],"mappings":"${";".repeat(15e6)}"}`;
  shelf.put(ADDRESS, { map: gzipSync(hostile), sources: ["/work/row.ts"] });
  // The heap of its thread is limited: one that needs more is ended.
  expect(await finder.find([{ ...thrown, line: 1, column: 1 }])).toEqual([null]);
});
