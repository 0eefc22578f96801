// Names of functions for people. QuickJS keeps none for methods and for what is exported by default, so theirs are read
// from the source where it begins.
import { TOP_LEVEL } from "./function-table.ts";
import type { RecordedFunction } from "./recording.ts";

const WORDS = /^(?:(?:async|static|get|set|private|public|protected|override|readonly)\s+|[*]\s*)*/;
const METHOD = /^(#?[\p{ID_Start}$_][\p{ID_Continue}$]*)\s*[(<]/u;
/** The start of a declaration, up to the value. */
const VARIABLE =
  /\b(?:const|let|var)\s{1,9}([\p{ID_Start}$_][\p{ID_Continue}$]*)\s{0,9}(?::[^=;]{0,200})?=\s{0,9}(?:async\s{0,9})?/gu;
const KEYWORDS: ReadonlySet<string> = new Set(["function", "if", "for", "while", "switch", "catch", "async"]);
/** Characters read of a line. */
const MAX_TEXT = 500;

export function functionName(
  { name, source, line, column }: Pick<RecordedFunction, "name" | "source" | "line" | "column">,
  originals: { text(source: string, line: number): string | undefined },
): string {
  if (name === TOP_LEVEL) return "(top level)";
  if (name !== "") return name;
  const text = originals.text(source, line) ?? "";
  const start = text.slice(column - 1, column - 1 + MAX_TEXT);
  const method = METHOD.exec(start.slice(WORDS.exec(start)?.[0].length ?? 0))?.[1];
  if (method !== undefined && !KEYWORDS.has(method)) return method;
  const variable = variableAt(text.slice(0, 2 * MAX_TEXT), column - 1);
  if (variable !== undefined) return variable;
  if (/\bexport\s+default\b\s*(?:async\s+)?(?:function\s*)?$/.test(text.slice(0, column - 1)))
    return "default";
  return `(anonymous:${line})`;
}

/** The variable whose value begins here. Maps may know only the place of its name. */
function variableAt(text: string, at: number): string | undefined {
  for (const { 0: start, 1: name = "", index } of text.matchAll(VARIABLE)) {
    const end = index + start.length;
    if (at <= end && at >= index + start.indexOf(name)) return name;
  }
  return undefined;
}
