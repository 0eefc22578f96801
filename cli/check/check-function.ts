// Checks one smart function: builds it as `deploy` does, walks the code, and maps findings to the source.
import { dirname, resolve } from "node:path";
import { readRegularFile } from "../../daemon/local/regular-file.ts";
import { operationBytes } from "../../daemon/protocol/operation-size.ts";
import { LIMITS } from "../../daemon/protocol/real-runtime.ts";
import { type FindingCode, FINDINGS } from "../../daemon/protocol/runtime-findings.ts";
import type { FunctionCode } from "../bundle-function.ts";
import { type Finding, isError, type Place, type RawFinding } from "./finding.ts";
import { relevantCode, type Section, sectionsOf } from "./relevant-code.ts";
import { lineStarts, positionIn, sourcePositions } from "./source-positions.ts";
import { parseModule } from "./syntax.ts";
import { MAX_RAW_OF_CODE, Walk } from "./walk.ts";

/** The key type with the longest operations, by at most a byte. */
const ANY_KEY = "sppk";

/** Findings in a loaded function, own code first, each group in the order of the source. */
export function checkFunction(loaded: FunctionCode): Finding[] {
  const locate = createLocator(loaded);
  const sectionAt = loaded.bundled ? sectionsOf(loaded.code) : () => ({ path: "", text: "" });
  const located = rawFindings(loaded).map((raw): Located => {
    const place = locate(raw);
    // Code added by a bundler or compiler has no source position.
    const section = sectionAt(raw.start);
    return { raw, place, library: libraryOf(place?.file ?? section.path), section };
  });
  const own = located.filter(({ library }) => library === undefined);
  const others = located.filter(({ library }) => library !== undefined);
  return [
    ...firstOfEach(own.map(({ raw, place }) => ownFinding(raw, place)).sort(byPlace)),
    ...groupByLibrary(others),
  ];
}

/** Findings listed per code: more would not help. */
const MAX_OF_CODE = 500;

/** The first findings of each code, with a note of the total when some are omitted. */
function firstOfEach(findings: readonly Finding[]): Finding[] {
  const counts = new Map<FindingCode, number>();
  const first = findings.filter(({ code }) => {
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    return count <= MAX_OF_CODE;
  });
  for (const [code, count] of counts)
    if (count > MAX_OF_CODE)
      first.push({
        code,
        severity: FINDINGS[code].severity,
        message: `There are ${count === MAX_RAW_OF_CODE ? "at least " : ""}${count} places of this kind; the first ${MAX_OF_CODE} are listed.`,
        place: undefined,
        library: undefined,
        places: 1,
      });
  return first;
}

interface Located {
  readonly raw: RawFinding;
  readonly place: Place | undefined;
  readonly library: string | undefined;
  readonly section: Section;
}

function rawFindings({ code, bundled }: FunctionCode): RawFinding[] {
  const size = operationBytes(ANY_KEY, { _type: "DeployFunction", functionCode: code, accountCredit: 0n });
  const whole = { subject: "", start: 0, end: 0, atTopLevel: true } as const;
  if (size > LIMITS.deployBytes) {
    const message = `The deploy has ${size} bytes; the real node accepts ${LIMITS.deployBytes}.`;
    return [{ ...whole, code: "CODE_SIZE", severity: FINDINGS.CODE_SIZE.severity, message }];
  }
  const length = lengthOf(code, bundled);
  if (length > MAX_CHECKED) {
    const message = `Too long to check: ${length} characters without whitespace, at most ${MAX_CHECKED}. Split it, or remove libraries.`;
    return [{ ...whole, code: "SYNTAX", severity: "warning", message }];
  }
  try {
    return new Walk(...relevantProgram(code, bundled)).findings;
  } catch (error) {
    if (error instanceof RangeError)
      // Stack overflow. Only generated code nests this deep.
      return [{ ...whole, code: "SYNTAX", severity: "warning", message: "Nested too deeply to check." }];
    const { pos, message } = error as SyntaxError & { readonly pos?: number };
    if (pos === undefined) throw error;
    const text = `${message.replace(/ \(\d+:\d+\)$/, "")}.`;
    const place = { start: pos, end: pos + 1 };
    return [{ ...whole, ...place, code: "SYNTAX", severity: FINDINGS.SYNTAX.severity, message: text }];
  }
}

/** Most characters to parse, without whitespace: the tree takes some 70 bytes for each. */
const MAX_CHECKED = 3 * 1024 * 1024;

/** Length of the code to parse, without whitespace. */
function lengthOf(code: string, bundled: boolean): number {
  if (code.length <= MAX_CHECKED) return code.length;
  const parsed = bundled ? relevantCode(code).code : code;
  let length = 0;
  for (let at = 0; at < parsed.length; at++) if (parsed.charCodeAt(at) > 32) length++;
  return length;
}

/** @throws SyntaxError with `pos` */
function relevantProgram(code: string, bundled: boolean): ConstructorParameters<typeof Walk> {
  if (bundled) {
    const { code: relevant, mentions } = relevantCode(code);
    try {
      return [parseModule(relevant), mentions];
    } catch {
      // A string of the program looked like a module heading: parse everything.
    }
  }
  return [parseModule(code), () => false];
}

/** Maps findings to places in the sources of a function. */
function createLocator({ code, file, map }: FunctionCode): (raw: RawFinding) => Place | undefined {
  const starts = lineStarts(code);
  const find = map === undefined ? undefined : sourcePositions(map);
  const texts = new Map<string, readonly string[]>();

  function startOf(offset: number): Omit<Place, "endColumn"> | undefined {
    const { line, column } = positionIn(starts, offset);
    if (file === undefined) return undefined;
    if (find === undefined) return { file, line: line + 1, column: column + 1 };
    const position = find(line, column);
    if (position === undefined) return undefined;
    const path = resolve(dirname(file), position.source);
    return { file: path, line: position.line + 1, column: position.column + 1 };
  }

  function lineOf({ file: path, line }: { readonly file: string; readonly line: number }): string {
    let lines = texts.get(path);
    if (lines === undefined) texts.set(path, (lines = readLines(path)));
    return lines[line - 1] ?? "";
  }

  return ({ start, end, subject, code: kind }) => {
    if (kind === "CODE_SIZE" || kind === "NO_HANDLER") return undefined;
    const place = startOf(start);
    if (place === undefined) return undefined;
    // The bundler may have renamed or folded the expression: look for the name in the source.
    const line = lineOf(place);
    const text = subject.replace(/^(?:Kv|\w+\.prototype)\./, "");
    // Only near the place: the line may be a whole minified file.
    const near = line.slice(place.column - 1, place.column - 1 + NEAR + text.length);
    const ahead = text === "" ? -1 : near.indexOf(text);
    if (ahead >= 0) {
      const column = place.column + ahead;
      return { ...place, column, endColumn: column + text.length };
    }
    const length = Math.min(end - start, Math.max(1, line.length - place.column + 1));
    return { ...place, endColumn: place.column + length };
  };
}

/** Most characters between the start of an expression and the name in a finding. */
const NEAR = 16;

/** Lines of a source file; none if it has disappeared since the bundler read it, or was never one. */
function readLines(file: string): string[] {
  try {
    return readRegularFile(file).toString("utf8").split(/\r?\n/);
  } catch {
    return []; // the finding then lacks its exact length; a source map may name any file
  }
}

/** Matches code that looks whether a global, or a member of a prototype, exists. */
function looking(subject: string): RegExp {
  const member = /\.prototype\.(\w+)$/.exec(subject)?.[1];
  return member === undefined
    ? new RegExp(`\\btypeof\\s+(?:globalThis\\.)?${subject.replaceAll("$", "\\$")}\\b`)
    : new RegExp(`\\btypeof\\s+[^;{}]{1,80}\\.${member}\\b|["']${member}["']\\s+in\\b`);
}

function libraryOf(path: string): string | undefined {
  // The last one: a name in front of it may be as long as a hostile file.
  const at = Math.max(path.lastIndexOf("/node_modules/"), path.lastIndexOf("\\node_modules\\"));
  if (at < 0) return undefined;
  const rest = path.slice(at + "/node_modules/".length);
  return /^(?:@[^\\/]+[\\/])?[^\\/]+/.exec(rest)?.[0].replace("\\", "/");
}

function ownFinding(raw: RawFinding, place: Place | undefined): Finding {
  const { code, severity, message, replacement } = raw;
  return {
    code,
    severity,
    message,
    place,
    library: undefined,
    places: 1,
    ...(replacement !== undefined && { replacement }),
  };
}

const byPlace = (left: Finding, right: Finding): number =>
  (left.place?.line ?? 0) - (right.place?.line ?? 0) ||
  (left.place?.column ?? 0) - (right.place?.column ?? 0);

/**
 * One finding per library, kind and name. A library's code may never be called, so it is an error only if it runs with the
 * module. Caught errors, fixed values, and globals that the module tests with `typeof` are not reported.
 */
function groupByLibrary(located: readonly Located[]): Finding[] {
  const groups = new Map<string, Located[]>();
  const looked = new Map<string, boolean>();
  const looksFor = ({ path, text }: Section, subject: string): boolean => {
    const key = `${path} ${subject}`;
    const known = looked.get(key) ?? looking(subject).test(text);
    looked.set(key, known);
    return known;
  };
  for (const one of located) {
    const { raw, library, section } = one;
    if (raw.code === "FIXED_VALUE" || raw.severity === "warning") continue;
    if (raw.code === "MISSING_GLOBAL" && !raw.atTopLevel && looksFor(section, raw.subject)) continue;
    const key = `${library} ${raw.code} ${raw.subject}`;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()].map((group) => {
    const certain = group.find(({ raw }) => isError(raw) && (raw.atTopLevel || raw.code === "SYNTAX"));
    const { raw, place, library } = certain ?? group[0]!;
    const rest = group.length > 1 ? ` It is used in ${group.length} places.` : "";
    return {
      code: raw.code,
      severity: certain === undefined ? "warning" : "error",
      message: `In ${library}: ${raw.message}${rest}`,
      place,
      library,
      places: group.length,
    };
  });
}
