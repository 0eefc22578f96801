// The lines that an operation ran, as text: how often, gas, and the line itself.
import type { LineReport } from "../../daemon/protocol/debug-api.ts";

/** @param placeOf a path for the terminal */
export function sourceLinesText({ lines, gas }: LineReport, placeOf: (source: string) => string): string {
  const gasWidth = Math.max(3, ...lines.map((line) => String(line.gas).length));
  const countWidth = Math.max(4, ...lines.map((line) => String(line.count).length + 1));
  const lineWidth = Math.max(1, ...lines.map((line) => String(line.line).length));
  const text: string[] = [];
  let source: string | undefined;
  for (const line of lines) {
    if (line.source !== source) text.push(...(source === undefined ? [] : [""]), placeOf(line.source));
    source = line.source;
    const count = line.count === 0 ? "" : `${line.count}×`;
    text.push(
      `  ${count.padStart(countWidth)} ${String(line.gas).padStart(gasWidth)} gas  ${String(line.line).padStart(lineWidth)} │ ${line.text ?? ""}`.trimEnd(),
    );
  }
  const inLines = lines.reduce((sum, line) => sum + line.gas, 0);
  text.push("", `${gas} gas, ${gas - inLines} of it for reading requests and sending answers`);
  return text.join("\n");
}
