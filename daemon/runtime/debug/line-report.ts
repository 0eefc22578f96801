// The answer to a question for the lines that an operation ran.
import { linesOf } from "./lines.ts";
import type { Originals } from "./originals.ts";
import type { Recorded } from "./profile-report.ts";
import { totalGas } from "./recording.ts";

/** Lines of an answer: those with the most gas stay. */
const MAX_LINES = 5_000;
/** Characters shown of a line: code that a bundler has minified is one. */
const MAX_TEXT = 200;

export interface LineReport {
  readonly hash: string;
  /** Gas of the operation, with that of the runtime's own work. */
  readonly gas: number;
  readonly isWhole: boolean;
  /** By source, then by line. */
  readonly lines: readonly {
    /** Absolute path, or `jstz://<address>` for a function without a source map. */
    readonly source: string;
    readonly line: number;
    readonly count: number;
    readonly gas: number;
    readonly text: string | null;
  }[];
}

export function lineReport({ hash, recording, isWhole }: Recorded, originals: Originals): LineReport {
  const all = linesOf(recording);
  const least = [...all].sort((one, other) => other.gas - one.gas)[MAX_LINES]?.gas ?? -1;
  const lines = all
    .filter(({ gas }) => gas > least)
    .map((line) => ({ ...line, text: originals.text(line.source, line.line)?.slice(0, MAX_TEXT) ?? null }));
  return { hash, gas: totalGas(recording), isWhole, lines };
}
