// Places of sources that may be links: those that the sandbox named. A text that only looks like one of them never leads
// anywhere else, since what is behind a name comes from here.

export interface LinkedPlace {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** Names that are kept; the oldest go first. */
const MAX_NAMES = 5_000;
/** Characters of a document that are searched, and links in it. */
const MAX_SEARCHED = 1_000_000;
const MAX_LINKS = 2_000;

const ENDING = /:\d{1,9}:\d{1,9}(?!\d)/g;

/** Places by the names under which texts show them, such as `src/a.ts:5:9`. */
export class PlaceNames<Place> {
  readonly #places = new Map<string, Place>();
  /** Names by their `:line:column`, so that a text is read once. */
  readonly #byEnding = new Map<string, Set<string>>();

  set(name: string, place: Place): void {
    this.#delete(name);
    this.#places.set(name, place);
    const ending = endingOf(name);
    const names = this.#byEnding.get(ending) ?? new Set();
    this.#byEnding.set(ending, names.add(name));
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= MAX_NAMES) break;
      this.#delete(oldest);
    }
  }

  get(name: string): Place | undefined {
    return this.#places.get(name);
  }

  /** The names in a text, the longest at each place. */
  in(text: string): LinkedPlace[] {
    const found: LinkedPlace[] = [];
    for (const { 0: ending, index } of text.slice(0, MAX_SEARCHED).matchAll(ENDING)) {
      const end = index + ending.length;
      const name = [...(this.#byEnding.get(ending) ?? [])]
        .filter((each) => text.startsWith(each, end - each.length) && isStart(text[end - each.length - 1]))
        .sort((one, other) => other.length - one.length)[0];
      if (name !== undefined) found.push({ start: end - name.length, end, name });
      if (found.length === MAX_LINKS) break;
    }
    return found;
  }

  #delete(name: string): void {
    if (!this.#places.delete(name)) return;
    const names = this.#byEnding.get(endingOf(name));
    names?.delete(name);
    if (names?.size === 0) this.#byEnding.delete(endingOf(name));
  }
}

const endingOf = (name: string): string => /:\d+:\d+$/.exec(name)?.[0] ?? "";

/** `a.ts` does not begin within `data.ts` or `lib/a.ts`. */
const isStart = (before: string | undefined): boolean => before === undefined || !/[\w./\\-]/.test(before);
