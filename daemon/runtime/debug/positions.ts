// Where in its source each piece of a function's bytecode comes from.

export interface Position {
  /** Offset of the first bytecode that belongs here. */
  readonly pc: number;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

const SHORT_RANGE = 5;
const SHORT_LINE_BASE = -1;

/**
 * Decodes QuickJS's table: pairs of differences of bytecode and line, each followed by a difference of the column. A
 * first byte of 0 begins a long pair; other ones hold a short pair.
 * @param line of the function itself
 */
export function decodePositions(bytes: Uint8Array, line: number, column: number): Position[] {
  const positions: Position[] = [];
  let at = 0;
  let pc = 0;
  const number = (): number => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    return value >>> 0;
  };
  const signedNumber = (): number => {
    const value = number();
    return (value >>> 1) ^ -(value & 1);
  };
  while (at < bytes.length) {
    const first = bytes[at++]!;
    if (first === 0) {
      pc += number();
      line += signedNumber();
    } else {
      pc += Math.floor((first - 1) / SHORT_RANGE);
      line += ((first - 1) % SHORT_RANGE) + SHORT_LINE_BASE;
    }
    column += signedNumber();
    positions.push({ pc, line, column });
  }
  return positions;
}

/** The last position at or before an offset; undefined before the first. */
export function positionAt(positions: readonly Position[], pc: number): Position | undefined {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positions[middle]!.pc <= pc) low = middle + 1;
    else high = middle;
  }
  return positions[low - 1];
}
