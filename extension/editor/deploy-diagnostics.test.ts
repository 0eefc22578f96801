import { expect, it } from "vitest";
import { processorTime } from "../../test/support/processor-time.ts";
import { placesOf } from "./deploy-diagnostics.ts";

it("finds every position in a bundler's message", () => {
  const message =
    '/a/index.ts does not compile:\n  index.ts:2:20: Expected ")" but found "{"\n  lib/other.mts:7:1: Unexpected "}"';
  expect(placesOf(message)).toEqual([
    { file: "index.ts", line: 2, column: 20, text: 'Expected ")" but found "{"' },
    { file: "lib/other.mts", line: 7, column: 1, text: 'Unexpected "}"' },
  ]);
  expect(placesOf("C:\\x\\a.ts:1:2: wrong")).toMatchObject([{ file: "C:\\x\\a.ts", line: 1, column: 2 }]);
  expect(placesOf("Failed to deploy smart function")).toEqual([]);
});

it("reads hostile messages quickly", () => {
  const started = processorTime();
  for (const part of ["a.ts:", "a.ts:1:1: ", "\n.ts:9", "x".repeat(999)]) placesOf(part.repeat(100_000));
  expect(processorTime() - started).toBeLessThan(1_000);
});
