// The result of `functez check` as text: a line per finding, `file:line:column: severity CODE: message`, a form that
// editors and CI systems parse.
import { relative } from "node:path";
import type { Severity } from "../../daemon/protocol/runtime-findings.ts";
import type { CheckedFile, Finding } from "./finding.ts";

/** A path for people and reports: relative to a folder, with slashes. */
export const shownPath = (path: string, folder: string): string =>
  relative(folder, path).replaceAll("\\", "/");

/** @param folder base of the relative paths */
export function findingLine(finding: Finding, file: string, folder: string): string {
  const { place, severity, code, message } = finding;
  const where =
    place === undefined ? `${file}:1:1` : `${shownPath(place.file, folder)}:${place.line}:${place.column}`;
  return `${where}: ${severity} ${code}: ${message}`;
}

const COUNTED: readonly Severity[] = ["error", "warning", "note"];

/** "3 errors, 1 warning", or "nothing found". */
export function summary(findings: readonly Finding[]): string {
  const counts = COUNTED.map((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? "" : `${count} ${severity}${count === 1 ? "" : "s"}`;
  }).filter((text) => text !== "");
  return counts.join(", ") || "nothing found";
}

/** The result as data: stable names, lines and columns from 1. */
export function checkAsJson(files: readonly CheckedFile[], folder: string): object {
  const all = files.flatMap(({ findings }) => findings);
  return {
    files: files.map(({ findings, ...file }) => ({
      ...file,
      findings: findings.map(({ place, library, replacement, ...finding }) => ({
        ...finding,
        ...(place && { place: { ...place, path: shownPath(place.file, folder) } }),
        ...(library !== undefined && { library }),
        ...(replacement !== undefined && { replacement }),
      })),
    })),
    errors: all.filter(({ severity }) => severity === "error").length,
    warnings: all.filter(({ severity }) => severity === "warning").length,
  };
}
