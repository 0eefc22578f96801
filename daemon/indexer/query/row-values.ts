// Values of the current row: each is converted once, however many filters use it.
import { ShownValue } from "../chain/shown-value.ts";
import type { Json } from "../human/human-value.ts";
import type { Meter } from "../human/meter.ts";
import { answerTooLong, MAX_ANSWER } from "./answer-limits.ts";
import type { Work } from "./turns.ts";

/** Characters between checks of the clock. */
const LOOK_AFTER = 16_384;

/** Stops conversions that take too long or exceed the limit of an answer. */
export function meterOf(work: Work, most = MAX_ANSWER, tooMuch: () => Error = answerTooLong): Meter {
  let left = most;
  let unseen = 0;
  return {
    spend(characters) {
      left -= characters;
      unseen += characters;
      if (left < 0) throw tooMuch();
      if (unseen < LOOK_AFTER) return;
      unseen = 0;
      work.check();
    },
  };
}

export class RowValues {
  readonly #work: Work;
  readonly #human = new Map<ShownValue, Json>();
  readonly #texts = new Map<object, string>();

  constructor(work: Work) {
    this.#work = work;
  }

  /** @throws SandboxError QUERY_TOO_SLOW */
  human(value: unknown): unknown {
    if (!(value instanceof ShownValue)) return value;
    this.#work.check();
    const known = this.#human.get(value);
    if (known !== undefined) return known;
    const made = value.human(meterOf(this.#work, Infinity));
    this.#human.set(value, made);
    return made;
  }

  /** Text for comparisons; undefined for no value. @throws SandboxError QUERY_TOO_SLOW */
  text(value: unknown): string | undefined {
    if (typeof value !== "object" || value === null) return plainText(value);
    this.#work.check();
    let text = this.#texts.get(value);
    if (text === undefined) this.#texts.set(value, (text = jsonOf(value)));
    return text;
  }

  /** Drops the values before the next row. */
  clear(): void {
    if (this.#human.size > 0) this.#human.clear();
    if (this.#texts.size > 0) this.#texts.clear();
  }
}

/** JSON text; empty for a value deeper than the stack, which equals nothing. */
function jsonOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return "";
    throw error;
  }
}

/** Text of a scalar; undefined for others. */
export function plainText(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
    default:
      return undefined;
  }
}
