// A bordered table, indented by two spaces: the format of all our tables.

/** Table text with a title row. */
export function textTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const rule = (line: string) => `  +${widths.map((width) => line.repeat(width + 2)).join("+")}+`;
  const line = (cells: readonly string[]) =>
    `  | ${widths.map((width, column) => (cells[column] ?? "").padEnd(width)).join(" | ")} |`;
  return [rule("-"), line(titles), rule("="), ...rows.flatMap((row) => [line(row), rule("-")])].join("\n");
}
