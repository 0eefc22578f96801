// The mappings of a source map (ECMA-426), packed: programs bring their own maps, and a list for each row and segment
// takes a hundred times the bytes of its text.

/** A place in a source, from 0. */
export interface MappedPlace {
  /** Index in the sources of the map. */
  readonly source: number;
  readonly line: number;
  readonly column: number;
}

const [COMMA, SEMICOLON] = [0x2c, 0x3b];
/** Numbers of a segment that has a source; those after them are names. */
const FIELDS = 4;
/** Bits of a number; larger ones are none. */
const MAX_SHIFT = 30;
const NO_DIGIT = 0xff;

/** Values of Base64 digits, by character code. */
const DIGITS = new Uint8Array(128).fill(NO_DIGIT);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((digit, value) => {
  DIGITS[digit.charCodeAt(0)] = value;
});

/** Takes at most four bytes for each character of its text. */
export class Mappings {
  /** Number of the first segment of each row, and behind the last row the number of all. */
  readonly #starts: Int32Array;
  /** Generated column, source, line and column of each segment. */
  readonly #numbers: Int32Array;

  constructor(text: string) {
    const { rows, segments } = sizeOf(text);
    this.#starts = new Int32Array(rows + 1);
    this.#numbers = new Int32Array(FIELDS * segments);
    this.#decode(text);
  }

  /** Of the last segment of a row, ordered by column, that begins at or before the column. All from 0. */
  at(row: number, column: number): MappedPlace | undefined {
    const segment = this.#segmentAt(row, column);
    return segment === undefined ? undefined : this.#place(segment);
  }

  /** Of the column itself: as far behind the place of its segment as it is behind the segment's beginning. */
  within(row: number, column: number): MappedPlace | undefined {
    const segment = this.#segmentAt(row, column);
    const place = segment === undefined ? undefined : this.#place(segment);
    return place && { ...place, column: place.column + column - this.#numbers[FIELDS * segment!]! };
  }

  #segmentAt(row: number, column: number): number | undefined {
    let [low, high] = this.#range(row);
    const start = low;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#numbers[FIELDS * middle]! <= column) low = middle + 1;
      else high = middle;
    }
    return low > start ? low - 1 : undefined;
  }

  /** Of the first segment of a row. */
  first(row: number): MappedPlace | undefined {
    const [start, end] = this.#range(row);
    return start < end ? this.#place(start) : undefined;
  }

  /** Of the last segment of a row. */
  last(row: number): MappedPlace | undefined {
    const [start, end] = this.#range(row);
    return start < end ? this.#place(end - 1) : undefined;
  }

  #range(row: number): [start: number, end: number] {
    return [this.#starts[row] ?? 0, this.#starts[row + 1] ?? 0];
  }

  #place(segment: number): MappedPlace | undefined {
    const at = FIELDS * segment;
    const [source, line, column] = [this.#numbers[at + 1]!, this.#numbers[at + 2]!, this.#numbers[at + 3]!];
    return source < 0 || line < 0 || column < 0 ? undefined : { source, line, column };
  }

  #decode(text: string): void {
    /** Of the segment under way, and as sums; all sums but the first go on between rows. */
    const own = new Int32Array(FIELDS);
    const sums = new Int32Array(FIELDS);
    let [row, segment, fields, value, shift] = [0, 0, 0, 0, 0];
    for (let i = 0; i <= text.length; i++) {
      const code = i < text.length ? text.charCodeAt(i) : SEMICOLON;
      if (code === COMMA || code === SEMICOLON) {
        const isMapped = fields >= FIELDS;
        if (fields > 0) sums[0]! += own[0]!;
        if (isMapped) {
          for (let field = 1; field < FIELDS; field++) sums[field]! += own[field]!;
          this.#numbers.set(sums, FIELDS * segment++);
        }
        fields = value = shift = 0;
        if (code === COMMA) continue;
        this.#starts[++row] = segment;
        sums[0] = 0;
        continue;
      }
      if (fields < 0) continue; // the segment is malformed
      const digit = code < DIGITS.length ? DIGITS[code]! : NO_DIGIT;
      if (digit === NO_DIGIT || shift > MAX_SHIFT) {
        fields = -1;
        continue;
      }
      value |= (digit & 31) << shift;
      shift += 5;
      if ((digit & 32) !== 0) continue;
      if (fields < FIELDS) own[fields] = (value & 1) === 0 ? value >>> 1 : -(value >>> 1);
      fields++;
      value = shift = 0;
    }
  }
}

/** How many rows a text has, and how many segments at most that have a source: those have a digit for each number. */
function sizeOf(text: string): { rows: number; segments: number } {
  let [rows, segments, start] = [1, 0, 0];
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : COMMA;
    if (code !== COMMA && code !== SEMICOLON) continue;
    if (i - start >= FIELDS) segments++;
    if (code === SEMICOLON) rows++;
    start = i + 1;
  }
  return { rows, segments };
}
