// Text on a stream: coloured on a terminal, and made safe there. Results reach pipes and files as they are.
import { randomUUID } from "node:crypto";
import pc from "picocolors";
import type { Colors, Formatter } from "picocolors/types";
import { stringifyExact } from "../../daemon/protocol/exact-json.ts";
import { visible, visibleJson } from "../../daemon/text/visible-text.ts";

/** Stands for the escape character of our own colours. It cannot be guessed, so no other text passes for them. */
const MARK = `\u0001${randomUUID()}\u0001`;
const ESCAPE = "\u001b";

export interface StyledOutput {
  readonly colors: Colors;
  /** Writes text. Only our own colours take effect; other control characters are shown as text, or sent to a pipe. */
  write(text: string): void;
}

/** @param options `always`: escapes for pipes too, such as our own remarks, which quote names of files and functions */
export function styledOutput(stream: NodeJS.WriteStream, { always = false } = {}): StyledOutput {
  const isTerminal = stream.isTTY === true;
  const colors = markColors(pc.createColors(isTerminal && pc.isColorSupported));
  return {
    colors,
    write(text) {
      stream.write(
        isTerminal || always ? text.split(MARK).map(visible).join(ESCAPE) : text.replaceAll(MARK, ESCAPE),
      );
    },
  };
}

/** A line of JSON, whatever the stream is: escapes in its strings change nothing for the program that reads it. */
export function writeJson(stream: NodeJS.WritableStream, value: unknown, indent?: number): void {
  stream.write(`${visibleJson(stringifyExact(value, indent))}\n`);
}

/** The same colours with the mark instead of the escape character, whatever the coloured text contains. */
function markColors(colors: Colors): Colors {
  const mark = (format: Formatter): Formatter => {
    const [open = "", close = ""] = format("|").replaceAll(ESCAPE, MARK).split("|");
    return (text) => `${open}${String(text)}${close}`;
  };
  const entries = Object.entries(colors).map(([name, value]) => [
    name,
    typeof value === "function" ? mark(value as Formatter) : value,
  ]);
  return Object.fromEntries(entries) as Colors;
}
