// Growing byte buffer for Micheline and operations.

/** Bytes of a buffer that is kept for the next use. */
const KEPT_BYTES = 65_536;
/** Numbers up to here are exact in floating point, whose arithmetic is ten times as fast. */
const EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** Numbers from here on take the path for long ones. */
const LONG = 1n << 256n;

export class ByteWriter {
  // From the pool of Node: a buffer of its own takes longer to make than most writers to fill.
  #bytes: Buffer = Buffer.allocUnsafe(256);
  #length = 0;

  /** Number of bytes so far. */
  get length(): number {
    return this.#length;
  }

  #room(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }

  byte(value: number): this {
    this.#room(1);
    this.#bytes[this.#length++] = value;
    return this;
  }

  bytes(values: Uint8Array): this {
    this.#room(values.length);
    this.#bytes.set(values, this.#length);
    this.#length += values.length;
    return this;
  }

  uint32(value: number): this {
    return this.byte(value >>> 24)
      .byte((value >>> 16) & 0xff)
      .byte((value >>> 8) & 0xff)
      .byte(value & 0xff);
  }

  flag(value: boolean): this {
    return this.byte(value ? 0xff : 0);
  }

  /** Length (4 bytes) followed by the bytes. */
  sized(values: Uint8Array): this {
    return this.uint32(values.length).bytes(values);
  }

  /** A text's length in bytes (4 bytes) followed by its bytes. */
  sizedText(text: string, encoding: "utf8" | "latin1"): this {
    const size = Buffer.byteLength(text, encoding);
    this.uint32(size).#room(size);
    this.#bytes.write(text, this.#length, encoding);
    this.#length += size;
    return this;
  }

  /** Runs `write` and puts the length of its output (4 bytes) in front. */
  measured(write: () => void): this {
    const at = this.#length;
    this.uint32(0);
    write();
    const length = this.#length - at - 4;
    for (let i = 0; i < 4; i++) this.#bytes[at + i] = (length >>> (24 - 8 * i)) & 0xff;
    return this;
  }

  /** Groups of 7 bits, lowest first. A long number is split as text: shifting a bigint repeatedly is quadratic. */
  natural(value: bigint): this {
    if (value >= LONG) return this.#longNatural(value);
    if (value <= EXACT) return this.#shortNatural(Number(value));
    let rest = value;
    while (rest >= 128n) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    return this.byte(Number(rest));
  }

  #shortNatural(value: number): this {
    let rest = value;
    while (rest >= 128) {
      this.byte((rest % 128) | 0x80);
      rest = Math.floor(rest / 128);
    }
    return this.byte(rest);
  }

  #longNatural(value: bigint): this {
    const hex = value.toString(16);
    const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
    let held = 0;
    let bits = 0;
    const groups: number[] = [];
    for (let i = bytes.length - 1; i >= 0; i--) {
      held |= bytes[i]! << bits;
      for (bits += 8; bits >= 7; bits -= 7, held >>>= 7) groups.push(held & 0x7f);
    }
    if (held > 0) groups.push(held);
    while (groups[groups.length - 1] === 0) groups.pop();
    groups.forEach((group, i) => this.byte(i < groups.length - 1 ? group | 0x80 : group));
    return this;
  }

  integer(value: bigint): this {
    const negative = value < 0n;
    const magnitude = negative ? -value : value;
    const first = Number(magnitude & 0x3fn) | (negative ? 0x40 : 0);
    const rest = magnitude >> 6n;
    if (rest === 0n) return this.byte(first);
    return this.byte(first | 0x80).natural(rest);
  }

  finish(): Uint8Array {
    return new Uint8Array(this.view()); // a copy: the pool is shared
  }

  /** The bytes so far, valid until more are written. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Begins anew with the same buffer, unless that is large. */
  clear(): this {
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(256);
    this.#length = 0;
    return this;
  }
}
