// Comparing texts as ICU's root collation does, which is that of English: by letters, then accents, then case. Scripts
// beside Latin, Greek, Cyrillic, Armenian and kana are in the order of their code points, after these.

import { EXPANSIONS, MARKS, UNITS } from "./collation-order.ts";

/** How far two texts are compared. */
export type Sensitivity = "base" | "accent" | "case" | "variant";

export interface CollationOptions {
  readonly sensitivity: Sensitivity;
  /** Runs of digits count as numbers. */
  readonly numeric: boolean;
}

/** What a character weighs: letter (0 for a mark), accent (0 for none), form. */
type Weight = readonly [letter: number, accent: number, form: number];

/** The weights of a text, position by position. */
interface Key {
  readonly letters: number[];
  readonly accents: number[];
  readonly forms: number[];
  readonly cases: number[];
}

const NONE: Weight = [0, 0, 0];
/** Above the accents of all marks. */
const OWN_ACCENT = 1000;
/** Above all places in the order. */
const OTHERS = 100_000;

/**
 * The weight of a character by its place in a chain, which is searched when somebody needs it: a table of all would make each
 * environment larger, and take longer to build than most functions run.
 */
function placed(chain: string, character: string): Weight | undefined {
  let at = chain.indexOf(character);
  if (at < 0) return undefined;
  let accent = 0;
  let form = 0;
  for (;;) {
    const mark = chain[at - 1] as string;
    if (chain[at - 2] === "\u0003") {
      accent ||= 2 * (mark.charCodeAt(0) - 0xe000) + 1;
      at -= 3;
    } else if (mark === "\u0002" || mark === "\u0001") {
      if (mark === "\u0002" && accent === 0) form += 1;
      at -= 2;
    } else return [at + 1, accent, form];
  }
}

const FIRST_DIGIT = (placed(UNITS, "0") as Weight)[0];

/** Letters and forms of ASCII's characters; 0 for those without. */
const LETTERS = new Uint16Array(128);
const FORMS = new Uint8Array(128);
for (let code = 0x20; code < 0x7f; code++) {
  const weight = placed(UNITS, String.fromCharCode(code));
  if (weight) [LETTERS[code], , FORMS[code]] = weight;
}

const known = new Map<string, readonly Weight[]>();

function weightsOf(character: string): readonly Weight[] {
  let found = known.get(character);
  if (!found) {
    found = weigh(character);
    known.set(character, found);
  }
  return found;
}

function weigh(character: string): readonly Weight[] {
  const code = character.codePointAt(0) as number;
  if (code < 9 || (code >= 0xe000 && code < 0xf900)) return code < 9 ? [] : [[OTHERS + code, 0, 0]]; // the marks of the chains
  const letter = placed(UNITS, character);
  if (letter) return [letter];
  const mark = placed(MARKS, character);
  if (mark) return [[0, 2 * mark[0], mark[2]]];
  const line = EXPANSIONS.indexOf(`\n${character}`);
  if (line >= 0) {
    const whole = EXPANSIONS.slice(line + 1 + character.length, EXPANSIONS.indexOf("\n", line + 1));
    const isAccented = whole.endsWith("\u0002");
    const [first = NONE, ...rest] = several(isAccented ? whole.slice(0, -1) : whole);
    return [first, ...(isAccented ? [[0, OWN_ACCENT, 0] as const] : []), ...rest];
  }
  const canonical = character.normalize("NFD");
  if (canonical !== character) return [...canonical].flatMap(weightsOf);
  const compatible = character.normalize("NFKD");
  if (compatible !== character) return several(compatible);
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || /\p{Cf}|\p{Cc}/u.test(character)) return [];
  if (/\p{M}/u.test(character)) return [[0, OWN_ACCENT + code, 0]];
  // Pictures are signs, which come before the digits.
  if (code >= 0x1f000 && code < 0x1fb00) return [[FIRST_DIGIT - 1 + code / 0x200000, 0, 0]];
  return [[OTHERS + code, 0, 0]];
}

/** The weights of characters that are written as one: in a form of their own. */
const several = (characters: string): Weight[] =>
  [...characters].flatMap(weightsOf).map(([letter, accent, form]): Weight => [letter, accent, form + 8]);

const isUpper = (character: string): number =>
  character !== character.toLowerCase() && character === character.toUpperCase() ? 1 : 0;

function keyOf(text: string, numeric: boolean): Key {
  const key: Key = { letters: [], accents: [], forms: [], cases: [] };
  const add = (character: string): void => {
    for (const [letter, accent, form] of weightsOf(character)) {
      // A mark has its place among the accents, after that of its letter.
      if (letter !== 0) {
        key.letters.push(letter);
        key.accents.push(1);
        key.cases.push(isUpper(character));
      }
      if (accent !== 0) key.accents.push(accent + 1);
      key.forms.push(form);
    }
  };
  const pieces = numeric ? text.normalize("NFC").match(/[0-9]+|[^0-9]/gu) : [...text.normalize("NFC")];
  for (const piece of pieces ?? []) {
    if (!numeric || !/^[0-9]/.test(piece)) {
      add(piece);
      continue;
    }
    const digits = piece.replace(/^0+(?=.)/, "");
    key.letters.push(FIRST_DIGIT, digits.length, ...[...digits].map(Number));
    key.accents.push(1);
    key.forms.push(0);
    key.cases.push(0);
  }
  return key;
}

function order(one: readonly number[], other: readonly number[]): number {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) {
    const difference = (one[i] as number) - (other[i] as number);
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return Math.sign(one.length - other.length);
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** The same without keys, where the texts up to their first different letter have no other characters; else undefined. */
function collateAscii(
  one: string,
  other: string,
  sensitivity: Sensitivity,
  numeric: boolean,
): number | undefined {
  let form = 0;
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) {
    const a = one.charCodeAt(i);
    const b = other.charCodeAt(i);
    if (a > 126 || b > 126 || (numeric && (isDigit(a) || isDigit(b)))) return undefined;
    if (a === b && a >= 0x20) continue;
    const difference = (LETTERS[a] as number) - (LETTERS[b] as number);
    if (LETTERS[a] === 0 || LETTERS[b] === 0) return undefined;
    if (difference !== 0) return Math.sign(difference);
    if (form === 0) form = (FORMS[a] as number) - (FORMS[b] as number);
  }
  if (one.length !== other.length) {
    const next = (one.length > length ? one : other).charCodeAt(length);
    if (next > 126 || LETTERS[next] === 0) return undefined;
    return one.length > length ? 1 : -1;
  }
  return sensitivity === "base" || sensitivity === "accent" ? 0 : Math.sign(form);
}

/** Negative, zero or positive, like a comparison of numbers. */
export function collate(one: string, other: string, { sensitivity, numeric }: CollationOptions): number {
  if (one === other) return 0;
  const plain = collateAscii(one, other, sensitivity, numeric);
  if (plain !== undefined) return plain;
  const [a, b] = [keyOf(one, numeric), keyOf(other, numeric)];
  const letters = order(a.letters, b.letters);
  if (letters !== 0 || sensitivity === "base") return letters;
  if (sensitivity === "case") return order(a.cases, b.cases);
  const accents = order(a.accents, b.accents);
  if (accents !== 0 || sensitivity === "accent") return accents;
  return order(a.forms, b.forms);
}
