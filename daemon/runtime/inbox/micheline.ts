// Micheline values in binary form, as much as messages between layer 1 and the rollup need. Annotations are
// read over. Encoding: Octez `data-encoding` of Micheline expressions.

export type Micheline =
  | { readonly int: bigint }
  | { readonly string: string }
  | { readonly bytes: Uint8Array }
  | { readonly prim: number; readonly args: readonly Micheline[] }
  | { readonly sequence: readonly Micheline[] };

/** Codes of the data constructors that occur in messages. */
export const PRIM = { Left: 0x05, None: 0x06, Pair: 0x07, Right: 0x08, Some: 0x09, Unit: 0x0b } as const;

const MAX_DEPTH = 64;

/** Decodes exactly one value that fills the bytes; undefined when they are anything else. */
export function decodeMicheline(bytes: Uint8Array): Micheline | undefined {
  try {
    const reader = new Reader(bytes);
    const value = reader.value(0);
    return reader.atEnd ? value : undefined;
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}

class MalformedError extends Error {}

class Reader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  value(depth: number): Micheline {
    if (depth > MAX_DEPTH) throw new MalformedError();
    const tag = this.#byte();
    switch (tag) {
      case 0x00:
        return { int: this.#integer() };
      case 0x01:
        return { string: Buffer.from(this.#block()).toString("utf8") };
      case 0x02:
        return { sequence: this.#values(this.#block(), depth) };
      case 0x0a:
        return { bytes: this.#block() };
      case 0x03:
      case 0x04:
      case 0x05:
      case 0x06:
      case 0x07:
      case 0x08: {
        const prim = this.#byte();
        const count = (tag - 3) >> 1;
        const args: Micheline[] = [];
        for (let i = 0; i < count; i++) args.push(this.value(depth + 1));
        if (tag % 2 === 0) this.#block(); // annotations
        return { prim, args };
      }
      case 0x09: {
        const prim = this.#byte();
        const args = this.#values(this.#block(), depth);
        this.#block();
        return { prim, args };
      }
      default:
        throw new MalformedError();
    }
  }

  #values(bytes: Uint8Array, depth: number): Micheline[] {
    const inner = new Reader(bytes);
    const values: Micheline[] = [];
    while (!inner.atEnd) values.push(inner.value(depth + 1));
    return values;
  }

  #byte(): number {
    const byte = this.#bytes[this.#position++];
    if (byte === undefined) throw new MalformedError();
    return byte;
  }

  #block(): Uint8Array {
    let length = 0;
    for (let i = 0; i < 4; i++) length = length * 256 + this.#byte();
    const end = this.#position + length;
    if (end > this.#bytes.length) throw new MalformedError();
    const block = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return block;
  }

  /** Signed variable-length integer: six bits and the sign in the first byte, seven in each further one. */
  #integer(): bigint {
    let byte = this.#byte();
    const negative = (byte & 0x40) !== 0;
    let value = BigInt(byte & 0x3f);
    for (let shift = 6n; (byte & 0x80) !== 0; shift += 7n) {
      byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
    }
    return negative ? -value : value;
  }
}

/** Binary form of a value. */
export function encodeMicheline(value: Micheline): Buffer {
  if ("int" in value) return Buffer.concat([Buffer.of(0x00), encodeInteger(value.int)]);
  if ("string" in value) return Buffer.concat([Buffer.of(0x01), block(Buffer.from(value.string, "utf8"))]);
  if ("bytes" in value) return Buffer.concat([Buffer.of(0x0a), block(value.bytes)]);
  if ("sequence" in value) {
    return Buffer.concat([Buffer.of(0x02), block(Buffer.concat(value.sequence.map(encodeMicheline)))]);
  }
  const args = value.args.map(encodeMicheline);
  if (args.length <= 2) return Buffer.concat([Buffer.of(0x03 + 2 * args.length, value.prim), ...args]);
  return Buffer.concat([Buffer.of(0x09, value.prim), block(Buffer.concat(args)), block(Buffer.alloc(0))]);
}

function block(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function encodeInteger(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value < 0n ? -value : value;
  let byte = Number(rest & 0x3fn) | (value < 0n ? 0x40 : 0);
  for (rest >>= 6n; rest > 0n; rest >>= 7n) {
    bytes.push(byte | 0x80);
    byte = Number(rest & 0x7fn);
  }
  bytes.push(byte);
  return Buffer.from(bytes);
}

export const pair = (left: Micheline, right: Micheline): Micheline => ({
  prim: PRIM.Pair,
  args: [left, right],
});

/** Both halves of a pair, also of one written as a comb of more arguments or as a sequence. */
export function asPair(value: Micheline | undefined): readonly [Micheline, Micheline] | undefined {
  if (value === undefined) return undefined;
  const parts =
    "sequence" in value ? value.sequence : "prim" in value && value.prim === PRIM.Pair ? value.args : [];
  const [first, second] = parts;
  if (first === undefined || second === undefined) return undefined;
  return [first, parts.length === 2 ? second : { prim: PRIM.Pair, args: parts.slice(1) }];
}
