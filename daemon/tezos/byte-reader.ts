// A bounds-checked cursor over bytes, for Micheline and operations.
import { MAX_NUMBER_BYTES } from "./number-length.ts";

/** Input that ends too early or holds an impossible value. */
export class MalformedBytes extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "MalformedBytes";
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get left(): number {
    return this.#end - this.#at;
  }

  get position(): number {
    return this.#at;
  }

  peek(): number | undefined {
    return this.#at < this.#end ? this.#bytes[this.#at] : undefined;
  }

  byte(): number {
    if (this.#at >= this.#end) throw new MalformedBytes("unexpected end");
    return this.#bytes[this.#at++]!;
  }

  take(length: number): Uint8Array {
    if (length < 0 || length > this.left) throw new MalformedBytes("unexpected end");
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return taken;
  }

  uint32(): number {
    const [bytes, at] = [this.#bytes, this.#at];
    if (this.left < 4) throw new MalformedBytes("unexpected end");
    this.#at = at + 4;
    return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
  }

  /** A reader over the next `length` bytes, which this reader skips. */
  slice(length: number): ByteReader {
    if (length > this.left) throw new MalformedBytes("unexpected end");
    const inner = new ByteReader(this.#bytes, this.#at, this.#at + length);
    this.#at += length;
    return inner;
  }

  /** A boolean byte: 00 or ff. */
  flag(): boolean {
    const byte = this.byte();
    if (byte !== 0 && byte !== 0xff) throw new MalformedBytes(`flag byte ${byte}`);
    return byte === 0xff;
  }

  /** Unsigned number in groups of 7 bits, lowest first. A trailing zero group is not canonical and is refused. */
  natural(): bigint {
    let small = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.byte();
      if (byte === 0 && shift > 0) throw new MalformedBytes("number not canonical");
      small |= (byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt(small);
    }
    return (this.#restOfNatural() << 28n) | BigInt(small);
  }

  /** Collects the bits as bytes: adding one group at a time to a bigint is quadratic. */
  #restOfNatural(): bigint {
    const bytes: number[] = [];
    let held = 0;
    let bits = 0;
    for (;;) {
      const byte = this.byte();
      if (byte === 0) throw new MalformedBytes("number not canonical");
      held |= (byte & 0x7f) << bits;
      bits += 7;
      if (bits >= 8) {
        bytes.push(held & 0xff);
        held >>>= 8;
        bits -= 8;
      }
      if (byte < 0x80) break;
      if (bytes.length > MAX_NUMBER_BYTES) throw new MalformedBytes("number too long");
    }
    bytes.push(held);
    return BigInt(`0x${Buffer.from(bytes.reverse()).toString("hex")}`);
  }

  /** Signed number: the first group holds 6 bits and the sign. */
  integer(): bigint {
    const first = this.byte();
    const negative = (first & 0x40) !== 0;
    let value = BigInt(first & 0x3f);
    if (first >= 0x80) value |= this.natural() << 6n;
    if (first >= 0x80 && value < 64n) throw new MalformedBytes("number not canonical");
    if (negative && value === 0n) throw new MalformedBytes("negative zero");
    return negative ? -value : value;
  }

  expectEnd(): void {
    if (this.left !== 0) throw new MalformedBytes("unexpected bytes at the end");
  }
}
