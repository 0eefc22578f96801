import { expect, it } from "vitest";
import type { CoverageReport } from "../../daemon/protocol/debug-api.ts";
import { coverageTable } from "../commands/coverage.ts";
import { addCoverage, CoverageSum } from "./coverage-sum.ts";
import { lcovOf } from "./lcov.ts";

const report = (over: Partial<CoverageReport>): CoverageReport => ({
  operations: 1,
  skipped: 0,
  upTo: 1,
  isComplete: true,
  sources: [],
  ...over,
});

/** A line with two functions, a function that another answer has too, and names that a report cannot have. */
const FIRST = report({
  upTo: 7,
  isComplete: false,
  sources: [
    {
      source: "/work/a.ts",
      functions: [
        { name: "(top level)", line: 1, column: 1, count: null, lines: [[9, 1]] },
        { name: "one", line: 2, column: 1, count: 2, lines: [[4, 2], [3, 2]] }, // oxfmt-ignore
        { name: "(anonymous:3)", line: 3, column: 9, count: 5, lines: [[3, 5]] },
        { name: "(anonymous:3)", line: 3, column: 20, count: 0, lines: [[3, 0]] },
        { name: "x,y\nend_of_record", line: 6, column: 1, count: 0, lines: [[7, 0], [8, 0]] }, // oxfmt-ignore
      ],
    },
    { source: "/work/node_modules/zod/index.js", functions: [] },
    { source: "jstz://KT1", functions: [] },
    { source: "/work/new\nline.ts", functions: [] },
  ],
});
const SECOND = report({
  operations: 3,
  skipped: 2,
  upTo: 9,
  sources: [
    {
      source: "/work/a.ts",
      functions: [{ name: "one", line: 2, column: 1, count: 1, lines: [[3, 4]] }],
    },
    { source: "/work/A.ts", functions: [{ name: "f", line: 1, column: 1, count: 0, lines: [[1, 0]] }] },
  ],
});

async function readAll(): Promise<{ sum: CoverageSum; asked: number[]; upTo: number }> {
  const sum = new CoverageSum();
  const asked: number[] = [];
  const client = {
    coverage: (after: number) => {
      asked.push(after);
      return Promise.resolve(after === 7 ? SECOND : FIRST);
    },
  };
  return { sum, asked, upTo: await addCoverage(sum, client, 5) };
}

it("adds answers up until they are complete, and writes them for lcov", async () => {
  const { sum, asked, upTo } = await readAll();
  expect({ asked, upTo, operations: sum.operations, skipped: sum.skipped }).toEqual({
    asked: [5, 7],
    upTo: 9,
    operations: 4,
    skipped: 2,
  });
  expect(lcovOf(sum.sources())).toBe(`TN:
SF:/work/A.ts
FN:1,f
FNDA:0,f
FNF:1
FNH:0
DA:1,0
LF:1
LH:0
end_of_record
TN:
SF:/work/a.ts
FN:2,one
FN:3,(anonymous:3)
FN:3,(anonymous:3):3:20
FN:6,x_y_end_of_record
FNDA:3,one
FNDA:5,(anonymous:3)
FNDA:0,(anonymous:3):3:20
FNDA:0,x_y_end_of_record
FNF:4
FNH:2
DA:3,6
DA:4,2
DA:7,0
DA:8,0
DA:9,1
LF:5
LH:3
end_of_record
`);
});

it("shows a table with the lines that did not run", async () => {
  const { sum } = await readAll();
  expect(coverageTable(sum.operations, sum.sources())).toEqual([
    "Coverage by 4 operations",
    "",
    "  lines  functions  file",
    "    0/1        0/1  /work/A.ts, not run: 1",
    "    3/5        2/4  /work/a.ts, not run: 7-8",
  ]);
});
