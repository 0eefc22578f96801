// Writes the JSON of an answer piece by piece, in turns with others, and stops at the limit before the text exists. It does
// not recurse, so no value is too deep. Long answers are written one at a time.
import { isObject } from "../../tezos/json-fields.ts";
import { type Format, ShownValue } from "../chain/shown-value.ts";
import { answerTooLong, MAX_ANSWER } from "./answer-limits.ts";
import { meterOf } from "./row-values.ts";
import type { Work } from "./turns.ts";

/** Longest short answer, in characters. */
const SHORT = 64 * 1024;
/** Extra milliseconds for a long answer: many times what the longest needs, for busy machines. */
const LONG_MS = 2_000;
/** Pieces between checks of the clock. */
const LOOK_AFTER = 128;

/** Pieces per join. */
const JOINED = 1_024;

/** Serialises long answers, each until its delivery. */
export interface LongAnswers {
  /** @returns releases the place @throws SandboxError SERVER_BUSY when it takes too long */
  enter(): Promise<() => void>;
}

interface Place {
  leave: (() => void) | undefined;
}

/** A container that is being written. */
type Open =
  | { readonly items: readonly unknown[]; at: number }
  | {
      readonly object: Readonly<Record<string, unknown>>;
      readonly names: readonly string[];
      at: number;
      isEmpty: boolean;
    };

class Exceeded extends Error {}

export class AnswerWriter {
  readonly #work: Work;
  readonly #places: LongAnswers;
  readonly #most: number;
  readonly #parts: string[] = [];
  /** Joined now and then: most pieces have a few characters, and a string object takes much more. */
  #pieces: string[] = [];
  #length = 0;
  /** Released once the answer is delivered; shared with nested writers. */
  readonly #place: Place;

  /** @param most characters */
  constructor(work: Work, places: LongAnswers, most = MAX_ANSWER, place: Place = { leave: undefined }) {
    this.#place = place;
    this.#most = most;
    this.#work = work;
    this.#places = places;
  }

  /** Appends raw JSON text. @throws SandboxError ANSWER_TOO_LARGE */
  text(piece: string): void {
    this.#length += piece.length;
    if (this.#length > this.#most) throw answerTooLong();
    this.#pieces.push(piece);
    if (this.#pieces.length === JOINED) this.#join();
  }

  #join(): void {
    this.#parts.push(this.#pieces.join(""));
    this.#pieces = [];
  }

  /** Appends a value; the format is for Michelson values in it. @throws SandboxError ANSWER_TOO_LARGE, QUERY_TOO_SLOW */
  async value(value: unknown, format: Format = 0): Promise<void> {
    const stack: Open[] = [];
    let steps = 0;
    let next = value;
    do {
      if (next instanceof ShownValue) next = await this.#michelson(next, format);
      else if (next !== NOTHING) next = this.#open(next, stack);
      else next = this.#goOn(stack);
      if (++steps % LOOK_AFTER !== 0) continue;
      if (this.#length > SHORT) await this.#enter();
      if (this.#work.isDue) await this.#work.turn();
    } while (next !== NOTHING || stack.length > 0);
    if (this.#length > SHORT) await this.#enter();
  }

  #open(value: unknown, stack: Open[]): unknown {
    if (Array.isArray(value)) {
      this.text("[");
      stack.push({ items: value, at: 0 });
    } else if (isObject(value)) {
      this.text("{");
      stack.push({ object: value, names: Object.keys(value), at: 0, isEmpty: true });
    } else this.text(scalarText(value));
    return NOTHING;
  }

  /** Writes up to the next value in the innermost container, or closes it. @returns that value */
  #goOn(stack: Open[]): unknown {
    const open = stack[stack.length - 1]!;
    if ("items" in open) {
      if (open.at < open.items.length) {
        if (open.at > 0) this.text(",");
        return open.items[open.at++] ?? null;
      }
      stack.pop();
      this.text("]");
      return NOTHING;
    }
    while (open.at < open.names.length) {
      const name = open.names[open.at++]!;
      const value = open.object[name];
      if (value === undefined) continue;
      this.text(`${open.isEmpty ? "" : ","}${JSON.stringify(name)}:`);
      open.isEmpty = false;
      return value;
    }
    stack.pop();
    this.text("}");
    return NOTHING;
  }

  async #michelson(value: ShownValue, format: Format): Promise<unknown> {
    if (format === 2) return value.node;
    if (format === 0) return this.#human(value);
    // JSON inside a JSON string: a nested writer produces it, within the remaining limit.
    const inner = new AnswerWriter(this.#work, this.#places, this.#most, this.#place);
    inner.#length = this.#length;
    await inner.value(format === 1 ? await this.#human(value) : value.node);
    this.text(JSON.stringify(inner.finish()));
    return NOTHING;
  }

  /** The readable form. A long one is discarded and made again in the place for long answers, to save memory. */
  async #human(value: ShownValue): Promise<unknown> {
    if (this.#place.leave === undefined) {
      try {
        return value.human(meterOf(this.#work, SHORT, () => new Exceeded()));
      } catch (error) {
        if (!(error instanceof Exceeded)) throw error;
      }
      await this.#enter();
    }
    return value.human(meterOf(this.#work, this.#most - this.#length));
  }

  async #enter(): Promise<void> {
    if (this.#place.leave !== undefined) return;
    this.#place.leave = await this.#work.outside(this.#places.enter());
    this.#work.allow(LONG_MS);
  }

  /** The whole text. */
  finish(): string {
    this.#join();
    return this.#parts.join("");
  }

  /** Releases the place for the next long answer. */
  leave(): void {
    this.#place.leave?.();
    this.#place.leave = undefined;
  }
}

const NOTHING = Symbol("nothing");

function scalarText(value: unknown): string {
  switch (typeof value) {
    case "bigint":
      return String(value);
    case "undefined":
    case "symbol":
    case "function":
      return "null";
    default:
      return JSON.stringify(value);
  }
}
