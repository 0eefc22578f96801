// The steps of a recording: its lines and statements as they began, numbered from 1.
import { SandboxError } from "../../../protocol/errors.ts";
import { EVENT, type Recording } from "../recording.ts";

export class Steps {
  /** Events at which a line begins, in order. */
  readonly #events: Uint32Array;

  constructor({ events }: Pick<Recording, "events">) {
    let count = 0;
    for (let i = 0; i < events.length; i++) if (events.kind[i] === EVENT.line) count++;
    this.#events = new Uint32Array(count);
    for (let i = 0, at = 0; at < count; i++) if (events.kind[i] === EVENT.line) this.#events[at++] = i;
  }

  get count(): number {
    return this.#events.length;
  }

  /** The latest step at an event; 0 before the first. */
  at(event: number): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#events[middle]! <= event) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** @throws SandboxError BAD_REQUEST when there is no such step */
  eventOf(step: number): number {
    const event = this.#events[step - 1];
    if (event !== undefined) return event;
    const expected = this.count === 0 ? "an operation that runs lines" : `1 to ${this.count}`;
    throw new SandboxError("BAD_REQUEST", { at: "step", found: step, expected });
  }
}
