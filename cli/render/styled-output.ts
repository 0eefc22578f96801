// Text on a stream: coloured and made safe where the stream is a terminal, as it is everywhere else.
import { randomUUID } from "node:crypto";
import pc from "picocolors";
import type { Colors, Formatter } from "picocolors/types";
import { visible } from "../../daemon/text/visible-text.ts";

/** Stands for the escape character of our own colours. Nobody can guess it, so nothing else passes for them. */
const MARK = `\u0001${randomUUID()}\u0001`;
const ESCAPE = "\u001b";

export interface StyledOutput {
  readonly colors: Colors;
  /** Writes text. On a terminal only our own colours are obeyed, and whatever else it would obey is shown. */
  write(text: string): void;
}

export function styledOutput(stream: NodeJS.WriteStream): StyledOutput {
  const isTerminal = stream.isTTY === true;
  const colors = marked(pc.createColors(isTerminal && pc.isColorSupported));
  return {
    colors,
    write(text) {
      stream.write(isTerminal ? text.split(MARK).map(visible).join(ESCAPE) : text.replaceAll(MARK, ESCAPE));
    },
  };
}

/** The same colours with the mark in place of the escape character, whatever the coloured text has in it. */
function marked(colors: Colors): Colors {
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
