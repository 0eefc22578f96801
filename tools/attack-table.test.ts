import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const [, table = ""] =
  /^## Attacks\n(.*?)^## /ms.exec(readFileSync(join(ROOT, "docs/security.md"), "utf8")) ?? [];
const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| attack"));

/** Files with the titles that a cell names: a title without a file is of the one before. */
function testsIn(cell: string): (readonly [file: string, title: string])[] {
  let file = "";
  const found: (readonly [string, string])[] = [];
  for (const [, name, title] of cell.matchAll(/`([^`]+)`|“([^”]+)”/g)) {
    if (name !== undefined) file = name;
    else found.push([file, title!]);
  }
  return found;
}

it("has a row for each attack", () => {
  expect(rows.length).toBeGreaterThan(30);
});

it.each(rows.map((row) => row.split(" | ")))("names tests that exist for %s", (_attack, _rule, cell) => {
  const tests = testsIn(cell ?? "");
  expect(tests).not.toHaveLength(0);
  for (const [file, title] of tests) {
    expect(existsSync(join(ROOT, file)), file).toBe(true);
    expect(readFileSync(join(ROOT, file), "utf8")).toContain(JSON.stringify(title));
  }
});
