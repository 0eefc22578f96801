// Blanks out library modules that mention nothing of interest to the check: a validation library can have half a megabyte,
// and would take longer to parse than everything else.
import {
  ABSENT_GLOBALS,
  EXTRA_GLOBALS,
  EXTRA_MEMBERS,
  THROWING_FUNCTIONS,
  THROWING_GETTER,
} from "../../daemon/protocol/real-runtime.ts";

export interface RelevantCode {
  /** The code with omitted modules replaced by spaces, so that offsets stay valid. */
  readonly code: string;
  /** Whether an omitted module contains this name, and so may declare it. */
  readonly mentions: (name: string) => boolean;
}

/** esbuild writes the path of each module above its code, and `@__…` above functions. */
const HEADING = /^\/\/ ([^@].*)$/gm;

export interface Section {
  /** Path of the module as esbuild writes it; empty above the first module. */
  readonly path: string;
  readonly text: string;
}

/** Returns a function that finds the module at an offset in bundled code. */
export function sectionsOf(code: string): (offset: number) => Section {
  const headings = [...code.matchAll(HEADING)];
  return (offset) => {
    const at = headings.findLastIndex(({ index }) => index <= offset);
    const text = code.slice(headings[at]?.index ?? 0, headings[at + 1]?.index ?? code.length);
    return { path: headings[at]?.[1] ?? "", text };
  };
}

const WORDS = [
  ...[...EXTRA_GLOBALS, ...ABSENT_GLOBALS, ...THROWING_FUNCTIONS, THROWING_GETTER],
  ...["Kv", "Ledger", "console"],
];
/** Members that the real runtime lacks. Methods with names that other objects have too count with the name of their own. */
const MEMBERS = Object.entries(EXTRA_MEMBERS).flatMap(([owner, { own = [], prototype = [] }]) => [
  ...own.map((name) => `${owner}\\.${name}`),
  ...prototype.map((name) => (name in Array.prototype ? `${owner}\\.prototype` : name)),
]);
const RELEVANT = new RegExp(`\\b(?:${[...WORDS, ...MEMBERS].join("|")})\\b|\\bimport\\s*\\(|jstz:`);

/** @param code output of esbuild */
export function relevantCode(code: string): RelevantCode {
  const headings = [...code.matchAll(HEADING)];
  const kept: string[] = [code.slice(0, headings[0]?.index ?? code.length)];
  const left: string[] = [];
  headings.forEach(({ index, 1: path = "" }, at) => {
    const section = code.slice(index, headings[at + 1]?.index ?? code.length);
    const isLast = at === headings.length - 1; // the exports follow it
    if (isLast || !path.includes("node_modules/") || RELEVANT.test(section.slice(path.length))) {
      kept.push(section);
      return;
    }
    left.push(section);
    kept.push(" ".repeat(section.length));
  });
  let words: Set<string> | undefined;
  const mentions = (name: string): boolean =>
    (words ??= new Set(left.flatMap((section) => section.match(/[\w$\u0080-\uffff]+/g) ?? []))).has(name);
  return { code: kept.join(""), mentions };
}
