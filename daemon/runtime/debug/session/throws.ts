// What an operation throws, and which of it no call has caught. A value may be thrown again by a `catch`, a `finally`
// or an `await`: the debugger stops where it was thrown first, with all frames alive.
import type { Original } from "../function-table.ts";
import type { HeapReader } from "../heap-reader.ts";
import type { Place } from "../recording.ts";
import { errorStack, objectOf } from "../value-text.ts";
import { thrownText } from "../value-view.ts";

export interface Throw {
  /** Index of its event. */
  readonly event: number;
  readonly call: number;
  readonly bits: bigint;
  readonly text: string;
  readonly stack: string | undefined;
  /** Whether the error was made on the line that throws it. */
  readonly isOrigin: boolean;
}

/** Throws that are kept. */
const MAX_THROWS = 100_000;
const PLACE = /(jstz:\/\/[^\s:)]+):(\d+):(\d+)/;

export class Throws {
  readonly #original: Original;
  #all: Throw[] = [];
  readonly #uncaught = new Map<number, Throw>();

  constructor(original: Original) {
    this.#original = original;
  }

  /** @param place where it is thrown */
  add(event: number, call: number, heap: HeapReader, bits: bigint, place: Place): void {
    if (this.#all.length >= MAX_THROWS) return;
    const object = objectOf(bits);
    const stack = object === undefined ? undefined : errorStack(heap, object);
    const isOrigin = this.#isMadeAt(stack, place);
    this.#all.push({ event, call, bits, text: thrownText(heap, bits), stack, isOrigin });
  }

  #isMadeAt(stack: string | undefined, { source, line }: Place): boolean {
    const [, file, row, column] = PLACE.exec(stack ?? "") ?? [];
    if (file === undefined) return false;
    const made = this.#original(file, Number(row), Number(column)) ?? { source: file, line: Number(row) };
    return made.source === source && made.line === line;
  }

  /** A call fails with a value. */
  failed(call: number, bits: bigint): void {
    const same = this.#all.filter((each) => each.call === call && each.bits === bits);
    const last = same.at(-1);
    if (last === undefined) return;
    // Another value may have been at the same address before.
    const alike = same.filter(({ text, stack }) => text === last.text && stack === last.stack);
    const first = alike.findLast(({ isOrigin }) => isOrigin) ?? alike[0]!;
    this.#uncaught.set(first.event, first);
  }

  /** What was recorded from this event on will happen again. */
  undone(event: number): void {
    this.#all = this.#all.filter((each) => each.event < event);
    for (const each of this.#uncaught.keys()) if (each >= event) this.#uncaught.delete(each);
  }

  at(event: number): Throw | undefined {
    let [low, high] = [0, this.#all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#all[middle]!.event < event) low = middle + 1;
      else high = middle;
    }
    const found = this.#all[low];
    return found?.event === event ? found : undefined;
  }

  isUncaught(event: number): boolean {
    return this.#uncaught.has(event);
  }

  /** What made the operation fail: its own call's throw, else the last of another call. */
  get fatal(): Throw | undefined {
    const all = [...this.#uncaught.values()].sort((one, other) => one.event - other.event);
    return all.findLast(({ call }) => call === 0) ?? all.at(-1);
  }
}
