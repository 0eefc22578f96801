// The failed tests once more, at the end of the whole check: who sees only its last lines sees what failed, and why.

/** Of one test: a stack of more lines, or a longer text, is in the output of its suite. */
const LINES = 12;
const CHARACTERS = 1500;
const TESTS = 40;

/**
 * The failed tests of a suite of vitest.
 * @param report its JSON report
 * @returns {{ title: string, message: string }[]}
 */
export function failedTests(report) {
  return report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults
      .filter((test) => test.status === "failed")
      .map((test) => ({
        title: `${name} > ${test.fullName}`,
        message: (test.failureMessages ?? []).join("\n"),
      }));
    // A file that cannot load, or whose hook fails, has no failed test.
    return failed.length > 0 || status !== "failed" ? failed : [{ title: name, message: message ?? "" }];
  });
}

/**
 * What is printed of them.
 * @param {{ suite: string, title: string, message: string }[]} failures
 * @param root the folder that names of files are shown in
 */
export function describeFailures(failures, root) {
  const shown = failures.slice(0, TESTS).map(({ suite, title, message }) => {
    const lines = message.slice(0, CHARACTERS).trim().split("\n").slice(0, LINES);
    const text = lines.filter((line) => line !== "").map((line) => `    ${line}\n`);
    return `  ✗ ${suite}: ${title}\n${text.join("")}`;
  });
  const more = failures.length - shown.length;
  if (more > 0) shown.push(`  and ${more} more\n`);
  return shown.join("").replaceAll(`${root}/`, "");
}
