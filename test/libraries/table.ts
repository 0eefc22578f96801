// The table of docs/libraries.md, from the cases of the suite.
import { FURTHER, INSTALLED, type LibraryCase } from "./cases.ts";

const BEGIN = "<!-- made by test/libraries/write-table.mjs -->";
const END = "<!-- end -->";

/** The document with an up-to-date table between its two comments. @throws Error when they are missing */
export function withTable(document: string): string {
  const [before, rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`the document has no ${BEGIN} … ${END}`);
  const cases = [...INSTALLED, ...FURTHER].sort((one, other) => (one.package < other.package ? -1 : 1));
  const equal = cases.filter(({ differs }) => !differs).map((library) => `\`${library.package}\``);
  const others = cases.filter(({ differs }) => differs).map(rowOf);
  const lines = [
    `Equal to Node (${equal.length} of ${cases.length}): ${equal.join(", ")}.`,
    "",
    "| package | differs | why |",
    "|---|---|---|",
    ...others,
  ];
  return `${before}${BEGIN}\n\n${lines.join("\n")}\n\n${END}${after}`;
}

function rowOf({ package: name, differs }: LibraryCase): string {
  const where = differs?.where === "here" ? "here only" : "here and on the real runtime";
  return `| \`${name}\` | ${where} | ${differs?.why} |`;
}
