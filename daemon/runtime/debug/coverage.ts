// Coverage: which lines and functions ran, of all that could. A line counts as often as its first bytecode ran: after a
// call in its middle a line goes on, and is not counted again. Where the first was skipped, each beginning counts.
import type { CoveredFunction, CoveredSource } from "../../protocol/debug-api.ts";
import { functionName } from "./function-name.ts";
import { TOP_LEVEL } from "./function-table.ts";
import type { Originals } from "./originals.ts";
import { EVENT, type RecordedFunction, type Recording } from "./recording.ts";

/** What is known of a line of a function: how often its first bytecode ran, and how often it began anywhere. */
interface LineCount {
  first: number;
  any: number;
}

interface FunctionCount {
  readonly fn: RecordedFunction;
  calls: number;
  /** By source, then by line: a bundle's top level has those of many sources. */
  readonly lines: Map<string, Map<number, LineCount>>;
}

export class CoverageCount {
  readonly #originals: Originals;
  readonly #functions = new Map<string, FunctionCount>();

  constructor(originals: Originals) {
    this.#originals = originals;
  }

  /** Lines and functions that exist; with `ran` also how often they ran. */
  add(recording: Recording, ran: boolean): void {
    const { activations, events, functions, later, places } = recording;
    const counts = functions.map((fn) => this.#countOf(fn));
    /** The line of each place, and whether the place is its first in the function. */
    const lines: (LineCount | undefined)[] = [undefined];
    const isFirst = new Uint8Array(places.length);
    functions.forEach(({ firstPlace, placeCount, hasRows }, index) => {
      if (!hasRows) return;
      const seen = new Set<LineCount>();
      for (let at = firstPlace; at < firstPlace + placeCount; at++) {
        const line = lineOf(counts[index]!, places[at]!.source, places[at]!.line);
        lines[at] = line;
        if (!seen.has(line)) isFirst[at] = 1;
        seen.add(line);
      }
    });
    if (!ran) return;
    const count = (place: number, times: number): void => {
      const line = lines[place];
      if (line === undefined) return;
      line.any += times;
      if (isFirst[place] === 1) line.first += times;
    };
    for (let i = 0; i < events.length; i++) if (events.kind[i] === EVENT.line) count(events.place[i]!, 1);
    for (const [place, { count: times }] of later) count(place, times);
    for (const { fn } of activations) counts[fn]!.calls++;
  }

  sources(): CoveredSource[] {
    const bySource = new Map<string, CoveredFunction[]>();
    for (const { fn, calls, lines } of this.#functions.values()) {
      const isTopLevel = fn.name === TOP_LEVEL;
      const name = functionName(fn, this.#originals);
      if (!isTopLevel && !lines.has(fn.source)) lines.set(fn.source, new Map());
      for (const [source, counts] of lines) {
        // Code that the bundler puts into a function may come from elsewhere.
        if (!isTopLevel && source !== fn.source) continue;
        let list = bySource.get(source);
        if (list === undefined) bySource.set(source, (list = []));
        list.push({
          name,
          line: fn.line,
          column: fn.column,
          count: isTopLevel ? null : calls,
          lines: [...counts]
            .map(([line, { first, any }]): [number, number] => [line, first || any])
            .sort(([one], [other]) => one - other),
        });
      }
    }
    return [...bySource].map(([source, functions]) => ({
      source,
      functions: functions.sort((one, other) => one.line - other.line || one.column - other.column),
    }));
  }

  #countOf(fn: RecordedFunction): FunctionCount {
    const key = `${fn.source}:${fn.line}:${fn.column}:${fn.name}`;
    let found = this.#functions.get(key);
    if (found === undefined) this.#functions.set(key, (found = { fn, calls: 0, lines: new Map() }));
    return found;
  }
}

function lineOf({ lines }: FunctionCount, source: string, number: number): LineCount {
  let ofSource = lines.get(source);
  if (ofSource === undefined) lines.set(source, (ofSource = new Map()));
  let line = ofSource.get(number);
  if (line === undefined) ofSource.set(number, (line = { first: 0, any: 0 }));
  return line;
}
