// Where breakpoints of source lines are in a recording: only the lowest place of a line, or of a statement on it, in a
// function has an event each time that it begins, so every breakpoint is at such places.
import type {
  BreakpointLocation,
  PlacedBreakpoint,
  SourceBreakpoint,
} from "../../../protocol/debug-session-api.ts";
import type { Place, Recording } from "../recording.ts";

export interface Breakpoint extends SourceBreakpoint {
  readonly source: string;
  /** Indexes of places. */
  readonly places: readonly number[];
  readonly placed: PlacedBreakpoint;
  readonly hits: HitCondition | undefined;
}

/** Whether a breakpoint stops at its n-th hit. */
export type HitCondition = (hit: number) => boolean;

/** A place of a source where a line of a function begins, or a statement in the middle of it. */
interface Start {
  readonly index: number;
  readonly place: Place;
}

/** Paths as they are compared: editors and bundlers write those of Windows in several ways. */
const plainPath = (path: string): string =>
  path.replaceAll("\\", "/").replace(/^[A-Z]:/, (drive) => drive.toLowerCase());

function startsOf({ functions, places }: Recording, source: string): Start[] {
  const wanted = plainPath(source);
  const found: Start[] = [];
  for (const { firstPlace, placeCount } of functions) {
    const seen = new Set<number>();
    for (let index = firstPlace; index < firstPlace + placeCount; index++) {
      const place = places[index]!;
      if (seen.has(place.line) && place.isStatement !== true) continue;
      if (plainPath(place.source) !== wanted) continue;
      seen.add(place.line);
      found.push({ index, place });
    }
  }
  return found;
}

export function placeBreakpoint(recording: Recording, source: string, wanted: SourceBreakpoint): Breakpoint {
  const hits = wanted.hitCondition === undefined ? undefined : hitConditionOf(wanted.hitCondition);
  const not = (message: string): Breakpoint => ({
    ...wanted,
    source,
    places: [],
    placed: { verified: false, message },
    hits,
  });
  if (wanted.hitCondition !== undefined && hits === undefined)
    return not("The hit condition must be a number after nothing, `=`, `<`, `<=`, `>`, `>=` or `%`.");
  const starts = startsOf(recording, source);
  if (starts.length === 0) return not("No function that this operation calls is deployed from this file.");
  const line = lineFor(recording, starts, wanted.line);
  if (line === undefined) return not("Nothing that can run is on this line or after it.");
  const chosen = inColumn(
    starts.filter(({ place }) => place.line === line),
    line === wanted.line ? wanted.column : undefined,
  );
  const { column } = chosen[0]!.place;
  const moved = line === wanted.line ? {} : { message: `Line ${wanted.line} has nothing that can run.` };
  return {
    ...wanted,
    source,
    places: chosen.map(({ index }) => index),
    placed: { verified: true, line, column, ...moved },
    hits,
  };
}

/** The line itself, else the next one of the innermost function around it, else that function's first. */
function lineFor({ functions }: Recording, starts: readonly Start[], wanted: number): number | undefined {
  if (starts.some(({ place }) => place.line === wanted)) return wanted;
  const spans = new Map<number, { first: number; last: number; start: number }>();
  for (const { place } of starts) {
    const span = spans.get(place.fn);
    const start = functions[place.fn]!.line;
    if (span === undefined) spans.set(place.fn, { first: place.line, last: place.line, start });
    else {
      span.first = Math.min(span.first, place.line);
      span.last = Math.max(span.last, place.line);
    }
  }
  const around = [...spans].filter(([, { start, first, last }]) => {
    return Math.min(start, first) <= wanted && wanted <= last;
  });
  const [innermost] = around.sort(([, one], [, other]) => other.start - one.start);
  const inside = innermost && starts.filter(({ place }) => place.fn === innermost[0]);
  const after = (list: readonly Start[]): number =>
    Math.min(...list.map(({ place }) => (place.line > wanted ? place.line : Infinity)));
  const next = after(inside ?? starts);
  if (next !== Infinity) return next;
  const first = innermost?.[1].first;
  return first !== undefined && first !== Infinity ? first : undefined;
}

/** Where the line begins, or with a column the first place from it on, else the last one before. */
function inColumn(starts: readonly Start[], column: number | undefined): readonly Start[] {
  if (column === undefined) return starts.filter(({ place }) => place.isStatement !== true);
  const columns = starts.map(({ place }) => place.column);
  const after = columns.filter((each) => each >= column);
  const chosen = after.length > 0 ? Math.min(...after) : Math.max(...columns);
  return starts.filter(({ place }) => place.column === chosen);
}

/** Where breakpoints can be, between two lines. */
export function breakpointLocations(
  recording: Recording,
  source: string,
  line: number,
  endLine: number,
): BreakpointLocation[] {
  const found = new Map<string, BreakpointLocation>();
  for (const { place } of startsOf(recording, source))
    if (place.line >= line && place.line <= endLine)
      found.set(`${place.line}:${place.column}`, { line: place.line, column: place.column });
  return [...found.values()].sort((one, other) => one.line - other.line || one.column - other.column);
}

function hitConditionOf(text: string): HitCondition | undefined {
  const [, sign = "", digits] = /^\s*(=|==|===|<|<=|>|>=|%)?\s*(\d{1,9})\s*$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  switch (sign) {
    case "<":
      return (hit) => hit < number;
    case "<=":
      return (hit) => hit <= number;
    case ">":
      return (hit) => hit > number;
    case ">=":
      return (hit) => hit >= number;
    case "%":
      return number === 0 ? undefined : (hit) => hit % number === 0;
    default:
      return (hit) => hit === number;
  }
}
