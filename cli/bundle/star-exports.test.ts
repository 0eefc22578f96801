import { expect, it } from "vitest";
import { processorTime } from "../../test/support/processor-time.ts";
import { StarExports, starExportsOf } from "./star-exports.ts";

it.each([
  [`export * from "./a"; export*from'./b'\nexport /* of */ *\n// all\nfrom "./c";`, ["./a", "./b", "./c"]],
  [`export * as all from "./a"; export { b } from "./b"; export default 1;`, []],
  [`export * from "./\\x61";`, undefined],
  [`export /*${"x".repeat(2_000)}*/ * from "./a";`, undefined],
  [`export * from "./a`, undefined],
])("finds the names in %j", (source, expected) => {
  const found = starExportsOf(source);
  expect(found && [...found]).toEqual(expected);
});

it("looks in linear time", () => {
  const started = processorTime();
  starExportsOf("export /* ".repeat(100_000));
  starExportsOf("export * ".repeat(100_000));
  expect(processorTime() - started).toBeLessThan(1_000);
});

/** All ways by walking each, as the bundler does. */
function countWalks(edges: readonly (readonly [number, number])[], files: number): number {
  const from = (file: number): number =>
    edges.filter(([own]) => own === file).reduce((sum, [, to]) => sum + 1 + from(to), 0);
  return Array.from({ length: files }, (_, file) => from(file)).reduce((sum, each) => sum + each, 0);
}

it("counts what a walk would count, in any order of the files", () => {
  const edges = [[0, 1], [0, 1], [1, 2], [1, 3], [2, 3], [2, 4], [3, 4], [3, 4], [0, 4]] as const; // oxfmt-ignore
  for (const order of [edges, edges.toReversed(), edges.toSorted(([, a], [, b]) => b - a)]) {
    const stars = new StarExports();
    for (const [from, to] of order) stars.add(`${from}`, `${to}`);
    expect(stars.ways).toBe(countWalks(edges, 5));
  }
});

it("counts circles, and diamonds without walking them", () => {
  const circle = new StarExports();
  for (const [from, to] of ["ab", "bc", "ca"]) circle.add(from!, to!);
  expect(circle.ways).toBeLessThan(20);
  const diamonds = new StarExports();
  for (let i = 0; i < 100; i++)
    for (const side of "xy") {
      diamonds.add(`${i}`, `${i}${side}`);
      diamonds.add(`${i}${side}`, `${i + 1}`);
    }
  expect(diamonds.ways).toBeGreaterThan(2 ** 100);
});
