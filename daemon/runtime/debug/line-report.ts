// The answer to a question for the lines that an operation ran.
import type { LineReport } from "../../protocol/debug-api.ts";
import { linesOf } from "./lines.ts";
import type { Originals } from "./originals.ts";
import type { Recorded } from "./profile-report.ts";
import { totalGas } from "./recording.ts";

/** Lines of an answer: those with the most gas stay. */
const MAX_LINES = 5_000;
/** Characters shown of a line: code that a bundler has minified is one. */
const MAX_TEXT = 200;

export function lineReport({ hash, recording, isWhole }: Recorded, originals: Originals): LineReport {
  const all = linesOf(recording);
  const least = [...all].sort((one, other) => other.gas - one.gas)[MAX_LINES]?.gas ?? -1;
  const lines = all
    .filter(({ gas }) => gas > least)
    .map((line) => ({ ...line, text: originals.text(line.source, line.line)?.slice(0, MAX_TEXT) ?? null }));
  return { hash, gas: totalGas(recording), isWhole, lines };
}
