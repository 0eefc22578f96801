// Whether a text is JSON. Stored text is checked here rather than in the guest, since a function can replace
// `JSON.stringify` and everything else on its side. One pass over the characters, without building the value, which may
// take many times the memory of its text.

/** Nesting depth of lists and objects. Recursive readers have a stack limit of their own. */
const MAX_DEPTH = 1_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const isDigit = (code: number): boolean => code >= ZERO && code <= 0x39;
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

class Reader {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Skips white space; code of the next character, NaN at the end. */
  next(): number {
    let code = this.#text.charCodeAt(this.at);
    while (isSpace(code)) code = this.#text.charCodeAt(++this.at);
    return code;
  }

  /** Skips a string, starting at its opening quote. */
  string(): boolean {
    const text = this.#text;
    for (let at = this.at + 1; ; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.at = at + 1;
        return true;
      }
      if (code === BACKSLASH) {
        const escaped = text.charAt(++at);
        if (escaped === "u") {
          if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) return false;
          at += 4;
        } else if (escaped === "" || !'"\\/bfnrt'.includes(escaped)) return false;
      } else if (!(code >= 0x20)) return false; // NaN too: the text ends within the string
    }
  }

  /** Skips a property name and its colon. */
  name(): boolean {
    if (this.next() !== QUOTE || !this.string() || this.next() !== 0x3a) return false;
    this.at++;
    return true;
  }

  #digits(): boolean {
    const from = this.at;
    while (isDigit(this.#text.charCodeAt(this.at))) this.at++;
    return this.at > from;
  }

  number(): boolean {
    const text = this.#text;
    if (text.charCodeAt(this.at) === MINUS) this.at++;
    if (text.charCodeAt(this.at) === ZERO) this.at++;
    else if (!this.#digits()) return false;
    if (text.charCodeAt(this.at) === DOT) {
      this.at++;
      if (!this.#digits()) return false;
    }
    const exponent = text[this.at];
    if (exponent !== "e" && exponent !== "E") return true;
    const sign = text[++this.at];
    if (sign === "+" || sign === "-") this.at++;
    return this.#digits();
  }

  word(word: string): boolean {
    if (!this.#text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }
}

/** @returns true when the whole text is one JSON value within the depth limit */
export function isJson(text: string): boolean {
  const reader = new Reader(text);
  /** Open containers: true for an object, false for a list. */
  const open: boolean[] = [];
  for (;;) {
    switch (reader.next()) {
      case 0x7b: // {
        reader.at++;
        if (reader.next() === 0x7d) {
          reader.at++;
          break;
        }
        if (open.push(true) > MAX_DEPTH || !reader.name()) return false;
        continue;
      case 0x5b: // [
        reader.at++;
        if (reader.next() === 0x5d) {
          reader.at++;
          break;
        }
        if (open.push(false) > MAX_DEPTH) return false;
        continue;
      case QUOTE:
        if (!reader.string()) return false;
        break;
      case 0x74:
        if (!reader.word("true")) return false;
        break;
      case 0x66:
        if (!reader.word("false")) return false;
        break;
      case 0x6e:
        if (!reader.word("null")) return false;
        break;
      default:
        if (!reader.number()) return false;
    }
    // After a value: close everything that ends here, then expect the next value or the end of the text.
    for (let inObject = open.at(-1); ; inObject = open.at(-1)) {
      const code = reader.next();
      if (inObject === undefined) return reader.at === text.length;
      reader.at++;
      if (code === 0x2c) {
        if (inObject && !reader.name()) return false;
        break;
      }
      if (code !== (inObject ? 0x7d : 0x5d)) return false;
      open.pop();
    }
  }
}
