// The table of docs/web-platform.md, between two markers of that page.

import type { FolderSum } from "./suite.ts";

/** The real runtime's own committed report over its whole selection, for comparison where folders match. */
const REAL: Readonly<Record<string, string>> = {
  FileAPI: "324 / 83",
  WebCryptoAPI: "2 / 64",
  compression: "224 / 9",
  console: "21 / 1",
  dom: "62 / 223",
  encoding: "1050 / 228",
  fetch: "597 / 1244",
  "hr-time": "6 / 2",
  "performance-timeline": "–",
  streams: "625 / 23",
  url: "360 / 137",
  urlpattern: "0 / 4",
  "user-timing": "73 / 7",
  xhr: "39 / 198",
};

const START = "<!-- table: start -->";
const END = "<!-- table: end -->";

const share = (passed: number, failed: number): string =>
  `${((100 * passed) / Math.max(1, passed + failed)).toFixed(1)} %`;

export function renderTable(sums: readonly FolderSum[]): string {
  const lines = [
    "| folder | files | passed | failed | share | real runtime, whole top folder (passed / failed) |",
    "|---|---:|---:|---:|---:|---|",
  ];
  for (const { folder, files, passed, failed } of sums) {
    const real = REAL[folder.split("/")[0] as string] ?? "";
    lines.push(`| ${folder} | ${files} | ${passed} | ${failed} | ${share(passed, failed)} | ${real} |`);
  }
  const passed = sums.reduce((sum, row) => sum + row.passed, 0);
  const failed = sums.reduce((sum, row) => sum + row.failed, 0);
  const files = sums.reduce((sum, row) => sum + row.files, 0);
  lines.push(
    `| **total** | ${files} | **${passed}** | **${failed}** | **${share(passed, failed)}** | 4936 / 4326 (53.3 %) over all its folders |`,
  );
  return lines.join("\n");
}

/** @returns the page with the text between its markers replaced */
export function replaceTable(page: string, table: string): string {
  const start = page.indexOf(START);
  const end = page.indexOf(END);
  if (start < 0 || end < start) throw new Error("the page has no table markers");
  return `${page.slice(0, start + START.length)}\n\n${table}\n\n${page.slice(end)}`;
}
