// Names of functions for people. QuickJS keeps none for methods and for what is exported by default, so theirs are read
// from the source where it begins.
import type { RecordedFunction } from "./recording.ts";

/** The function of a module's top level. */
const TOP_LEVEL = "<eval>";
const WORDS = /^(?:(?:async|static|get|set|private|public|protected|override|readonly)\s+|[*]\s*)*/;
const METHOD = /^(#?[\p{ID_Start}$_][\p{ID_Continue}$]*)\s*[(<]/u;
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
  if (/\bexport\s+default\b\s*(?:async\s+)?(?:function\s*)?$/.test(text.slice(0, column - 1)))
    return "default";
  return `(anonymous:${line})`;
}
