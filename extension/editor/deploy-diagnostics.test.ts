import { expect, it } from "vitest";
import { type ErrorCode, errorInBody } from "../../daemon/protocol/errors.ts";
import { type Place, placesOf } from "./deploy-diagnostics.ts";

/** The places in an error as the command line prints it. */
function placesIn(code: ErrorCode, data: object): readonly Place[] {
  return placesOf(errorInBody(JSON.stringify({ error: { code, message: "no", next: "", data } }))!);
}

it("takes every place that the bundler names", () => {
  const location = { file: "lib/other.mts", line: 7, column: 0, lineText: "}" };
  const errors = [
    { text: 'Expected ")"', location: { file: "index.ts", line: 2, column: 19 } },
    { text: "Unexpected", location },
    { text: "No place", location: null },
  ];
  expect(placesIn("BUILD_FAILED", { file: "/a/index.ts", reason: "…", errors })).toEqual([
    { file: "index.ts", line: 1, column: 19, text: 'Expected ")"' },
    { file: "lib/other.mts", line: 6, column: 0, text: "Unexpected" },
  ]);
});

it("takes every place that the check names", () => {
  const places = [{ message: "no", file: "/a/a.ts", line: 3, column: 5, endColumn: 7 }];
  expect(placesIn("CHECK_FAILED", { findings: "…", places })).toEqual([
    { file: "/a/a.ts", line: 2, column: 4, text: "no" },
  ]);
});

it("takes none from an error without them, and none of another form", () => {
  const data = {
    errors: [{ text: 1, location: {} }, null, { text: "a", location: { file: "a.ts", line: "2" } }],
  };
  expect(placesIn("BUILD_FAILED", data)).toEqual([]);
  expect(placesIn("BUILD_FAILED", {})).toEqual([]);
  expect(placesIn("DEPLOY_FAILED", { reason: "a.ts:1:1: b" })).toEqual([]);
});
