// Reads the text of a source map. The parser of V8 takes seconds, hundreds of megabytes and no order to stop for millions
// of small values, and programs bring their own maps: so only the members that are needed are parsed, once they are known
// to be flat.
import { endOfString } from "../../tezos/json-strings.ts";

export interface SourceMap {
  readonly sources: readonly unknown[];
  readonly mappings: string;
  /** Texts of the sources. */
  readonly sourcesContent: readonly unknown[];
}

/** Sources of a map; one with more counts as none. */
const MAX_SOURCES = 10_000;

const WANTED = new Set(["sources", "mappings", "sourcesContent"]);

/** @param withTexts whether `sourcesContent` is needed @returns undefined for what is no map that can be read */
export function readMap(json: string, withTexts: boolean): SourceMap | undefined {
  try {
    const members = membersOf(json);
    const mappings = members.get("mappings") ?? "";
    if (!isOneString(mappings)) return undefined;
    const sources = flatList(members.get("sources"));
    if (sources === undefined) return undefined;
    const sourcesContent = withTexts ? (flatList(members.get("sourcesContent")) ?? []) : [];
    return { sources, mappings: JSON.parse(mappings) as string, sourcesContent };
  } catch {
    return undefined; // no JSON
  }
}

/** The texts of the wanted members of the outermost object. */
function membersOf(json: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let depth = 0;
  let key: string | undefined;
  let start: number | undefined;
  const end = (at: number): void => {
    if (key !== undefined && start !== undefined && WANTED.has(key))
      found.set(key, json.slice(start, at).trim());
    key = start = undefined;
  };
  for (let i = 0; i < json.length; i++) {
    switch (json.charCodeAt(i)) {
      case 0x22: {
        const after = endOfString(json, i);
        if (depth === 1 && start === undefined) key = json.slice(i + 1, after - 1);
        i = after - 1;
        break;
      }
      case 0x3a: // a colon
        if (depth === 1) start ??= i + 1;
        break;
      case 0x2c: // a comma
        if (depth === 1) end(i);
        break;
      case 0x5b:
      case 0x7b:
        depth++;
        break;
      case 0x5d:
      case 0x7d:
        if (--depth === 0) {
          end(i);
          return found;
        }
    }
  }
  return found;
}

const isOneString = (json: string): boolean =>
  json.startsWith('"') && json.length > 1 && endOfString(json, 0) === json.length;

/** Values of a list without lists and objects in it. @throws SyntaxError */
function flatList(json: string | undefined): unknown[] | undefined {
  if (json?.startsWith("[") !== true) return undefined;
  let count = 1;
  for (let i = 1; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (code === 0x22) i = endOfString(json, i) - 1;
    else if (code === 0x5b || code === 0x7b) return undefined;
    else if (code === 0x2c && ++count > MAX_SOURCES) return undefined;
  }
  return JSON.parse(json) as unknown[];
}
