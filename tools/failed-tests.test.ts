import { expect, test } from "vitest";
import { describeFailures, failedTests } from "./failed-tests.mjs";

test("failed tests are found in a report, and a file that cannot load is one", () => {
  const passed = { fullName: "passes", status: "passed" };
  const report = {
    testResults: [
      { name: "/project/a.test.ts", status: "passed", assertionResults: [passed] },
      {
        name: "/project/b.test.ts",
        status: "failed",
        assertionResults: [
          passed,
          { fullName: "group fails", status: "failed", failureMessages: ["expected 1", "to be 2"] },
        ],
      },
      { name: "/project/c.test.ts", status: "failed", message: "no such module", assertionResults: [] },
    ],
  };
  expect(failedTests(report)).toEqual([
    { title: "/project/b.test.ts > group fails", message: "expected 1\nto be 2" },
    { title: "/project/c.test.ts", message: "no such module" },
  ]);
});

test("each failure is shown with the beginning of its message, under names of the project", () => {
  const stack = Array.from({ length: 100 }, (_, line) => `at line ${line}`).join("\n");
  const failures = [
    { suite: "unit", title: "/project/b.test.ts > fails", message: `expected 1\n${stack}` },
    { suite: "system", title: "/project/c.test.ts", message: "x".repeat(100_000) },
    ...Array.from({ length: 50 }, () => ({ suite: "lint", title: "exit code 1", message: "" })),
  ];
  const text = describeFailures(failures, "/project");
  expect(text).toMatch(/^ {2}✗ unit: b\.test\.ts > fails\n {4}expected 1\n {4}at line 0\n/);
  expect(text).not.toContain("at line 20");
  expect(text).toContain("  ✗ lint: exit code 1\n  ✗");
  expect(text).toContain("and 12 more");
  expect(text.length).toBeLessThan(5_000);
});
