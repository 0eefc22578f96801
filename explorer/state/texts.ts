// Formats values for people.
import { formatTez, readTez } from "../../daemon/protocol/tez-text.ts";

/** Formats mutez, as decimal text, in tez with commas between thousands. */
export function tezOf(mutez: string): string {
  const [whole = "", decimals] = formatTez(BigInt(mutez)).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",").replace("-", "−");
  return decimals === undefined ? grouped : `${grouped}.${decimals}`;
}

/** Parses a typed amount of tez to mutez; undefined when invalid. */
export const mutezOf = (tez: string): bigint | undefined => readTez(tez).mutez;

export const shortHash = (text: string): string =>
  text.length > 16 ? `${text.slice(0, 7)}…${text.slice(-5)}` : text;

const NUMBERS = new Intl.NumberFormat("en");
export const numberText = (value: number): string => NUMBERS.format(value);

export const durationText = (ms: number): string =>
  ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;

/** Time of day in the user's time zone. */
export function clockText(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : time.toLocaleTimeString("en-GB");
}

/** Characters of indentation in one text. That of `[[[[…]]]]` would be as long as the square of its depth. */
const MAX_INDENTATION = 300_000;

/** JSON text of a value that came as JSON, indented unless the indentation would be most of it. */
export function jsonText(value: unknown): string {
  if (indentationOf(value, 1, MAX_INDENTATION) <= MAX_INDENTATION) return JSON.stringify(value, null, 2);
  try {
    return JSON.stringify(value);
  } catch {
    return "(too deep to be shown)"; // it was parsed without a stack, and is written with one
  }
}

/** Characters of indentation; something above `most` once they are more than that. */
function indentationOf(value: unknown, depth: number, most: number): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  for (const child of Object.values(value)) {
    count += 2 * depth;
    if (count <= most) count += indentationOf(child, depth + 1, most - count);
    if (count > most) break;
  }
  return count;
}

/** Indents JSON; returns other text unchanged. */
export function prettyJson(text: string): string {
  try {
    return jsonText(JSON.parse(text));
  } catch {
    return text;
  }
}

export const plural = (count: number, one: string): string =>
  `${numberText(count)} ${one}${count === 1 ? "" : "s"}`;

/** How much of a text is shown. */
export interface Extent {
  readonly characters: number;
  /** The same for scripts that are laid out slowly. */
  readonly elaborate: number;
  readonly lines: number;
}

/**
 * Scripts in which letters join, combine or have no spaces between words, and those from right to left. A browser needs 2 s
 * to wrap a word of 20,000 Arabic letters, and four times as long for twice as many.
 */
const ELABORATE = /[\u0590-\u1fff\ua000-\uabff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{1efff}]/u;

/** A text, or its beginning with a note of what is left out. */
export function beginningOf(text: string, most: Extent): string {
  const isElaborate = text.length > most.elaborate && ELABORATE.test(text.slice(0, most.characters));
  let end = Math.min(text.length, isElaborate ? most.elaborate : most.characters);
  for (let at = -1, line = 1; (at = text.indexOf("\n", at + 1)) >= 0 && at < end; line++)
    if (line === most.lines) end = at;
  if (end === text.length) return text;
  return `${text.slice(0, end)}\n… ${plural(text.length - end, "further character")}`;
}
