// Writes daemon/runtime/engine/prelude/collation-order.ts: the order of characters in ICU's root collation, which is that of
// English, as the Node that runs this has it. Run by hand after an update of Unicode: node tools/engine/collation-order.mjs
import { writeFileSync } from "node:fs";
import { format } from "oxfmt";

const by = (sensitivity) => new Intl.Collator("en", { sensitivity }).compare;
const [base, accent, variant] = ["base", "accent", "variant"].map(by);

/** Latin, Greek, Cyrillic, Armenian; punctuation, signs and symbols; kana. */
const RANGES = [
  [0x09, 0x0d],
  [0x20, 0x58f],
  [0x1d00, 0x1dbf],
  [0x1e00, 0x1eff],
  [0x2000, 0x206f],
  [0x20a0, 0x20c0],
  [0x2100, 0x214f],
  [0x2190, 0x23ff],
  [0x2460, 0x2bff],
  [0x2c60, 0x2c7f],
  [0x2e00, 0x2e5d],
  [0x3000, 0x30ff],
  [0xa720, 0xa7ff],
];
/** Letters of two that Unicode does not decompose. */
const PAIRS = "ae AE oe OE ss SS dz DZ qp db ts ls lz tʃ dʒ dʑ tɕ fŋ".split(" ");

const characters = RANGES.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i)),
).filter((character) => !/\p{Cn}/u.test(character));

const inOrder = (list) => list.sort((one, other) => variant(one, other) || (one < other ? -1 : 1));
const marks = inOrder(characters.filter((c) => base(c, "") === 0 && variant(c, "") !== 0));
const expansions = [];
const units = [];
for (const character of characters) {
  if (base(character, "") === 0) continue;
  const canonical = character.normalize("NFD");
  if (canonical !== character && base(character, [...canonical][0]) === 0) continue; // a letter and its marks
  const compatible = character.normalize("NFKD");
  const whole = [compatible, ...PAIRS].find(
    (text) => text !== canonical && [...text].length > 1 && base(text, character) === 0,
  );
  if (whole === undefined) units.push(character);
  else expansions.push(`${character}${whole}${accent(character, whole) === 0 ? "" : "\u0002"}`);
}

/** Each character after what distinguishes it from the one before: nothing for another letter. */
function chain(list, isOther) {
  let first = list[0];
  return list
    .map((character, i) => {
      const before = list[i - 1];
      if (before === undefined || isOther(before, character)) {
        first = character;
        return character;
      }
      if (accent(before, character) !== 0 && isOther !== differsInAccent) {
        const rank = marks.filter((mark) => accent(first + mark, character) < 0).length;
        return `\u0003${String.fromCodePoint(0xe000 + rank)}${character}`;
      }
      return `${variant(before, character) === 0 ? "\u0001" : "\u0002"}${character}`;
    })
    .join("");
}
const differsInAccent = (one, other) => accent(`a${one}`, `a${other}`) !== 0;

const escape = (text) =>
  JSON.stringify(text).replace(
    /[\u007f-\u00a0\u00ad\u0300-\u036f\u0483-\u0489\u2000-\u200f\u2028-\u202f\u205f\u2060\u20d0-\u20f0\ue000-\uf8ff\u3000\u3099\u309a]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const source = `// Made by tools/engine/collation-order.mjs from ICU ${process.versions.icu}: change it there.

/** Characters in order. Before one: \\u0001 equal to the last, \\u0002 another case or form, \\u0003 and a rank (from U+E000) other accents. */
export const UNITS = ${escape(chain(inOrder(units), (one, other) => base(one, other) !== 0))};

/** Combining marks in order, as above. */
export const MARKS = ${escape(chain(marks, differsInAccent))};

/** A line for each character that stands for several, which follow; \\u0002 at its end for an accent of its own. */
export const EXPANSIONS = ${escape(`\n${expansions.join("\n")}\n`)};
`;
const file = "daemon/runtime/engine/prelude/collation-order.ts";
writeFileSync(file, (await format(file, source, { printWidth: 110 })).code);
