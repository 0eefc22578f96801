// Parts of the generated documents.

/** The note at the top of a generated document. */
export const generatedNotice = (from: string): string =>
  `<!-- Generated from ${from} by \`node tools/docs.mjs\`: change it there. -->`;

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/\|/g, "\\|").replace(/\n/g, " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

export const code = (text: string): string => `\`${text}\``;
