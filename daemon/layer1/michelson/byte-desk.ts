// Memory in which instructions compute with bytes: a text is put there, changed in place and read as a text again. It is
// made once, for memory of its own per instruction takes longer than most instructions may.

/** Texts up to here are put down character by character: a call into the runtime takes as long. */
const SHORT = 20;
const FIRST_BYTES = 1_024;

/** With Node's reads and writes of one encoding, which its types leave out: to look at the name of an encoding takes as
 * long as the rest for a text of 32 bytes. */
type Latin1Buffer = Buffer & {
  latin1Slice(start: number, end: number): string;
  latin1Write(text: string, at: number, length: number): number;
};
const zeros = (count: number): Latin1Buffer => Buffer.alloc(count) as Latin1Buffer;

export class ByteDesk {
  /** A text put here begins at the first byte. What follows it is left from before. */
  bytes = zeros(FIRST_BYTES);
  /** The same memory, four bytes at a time. */
  words = wordsOf(this.bytes);

  /** Makes room for so many bytes, and for the rest of the last word. What was there is lost when it grows. */
  reserve(count: number): void {
    if (count <= this.bytes.length) return;
    this.bytes = zeros(2 ** Math.ceil(Math.log2(count)));
    this.words = wordsOf(this.bytes);
  }

  /** Puts a byte text here, after `at` bytes. @pre there is room for it */
  put(text: string, at = 0): void {
    if (text.length > SHORT) {
      this.bytes.latin1Write(text, at, text.length);
      return;
    }
    const { bytes } = this;
    for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
  }

  /** The first bytes as a byte text. */
  take(count: number): string {
    if (count === 0) return "";
    return count === 1 ? String.fromCharCode(this.bytes[0]!) : this.bytes.latin1Slice(0, count);
  }
}

/** @pre a multiple of four bytes in memory of its own */
const wordsOf = ({ buffer, length }: Buffer): Int32Array => new Int32Array(buffer, 0, length >> 2);
