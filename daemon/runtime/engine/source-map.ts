// Maps stack traces to the source: frames of a program with an inline source map (bundlers write it as the last line)
// show file, line and column of the original.
import { Mappings } from "../../text/source-mappings.ts";
import { readMap, type SourceMap } from "./map-text.ts";

export { readMap } from "./map-text.ts";
export { type MappedPlace, Mappings } from "../../text/source-mappings.ts";

/** Anchored, because a program may contain the start of a map a million times. */
const INLINE = /^\/\/[#@] sourceMappingURL=data:application\/json[^,\n]*;base64,([A-Za-z0-9+/=]+)\s*$/;

/** Limit of mapped frames. A program may invent a trace of any length. */
const MAX_MAPPED_FRAMES = 100;
/** Longer source names would blow up a short trace. */
const MAX_SOURCE_NAME = 1_024;

/** The map at the end of a program, if it has one that can be read. */
export function inlineMap(code: string, withTexts = false): SourceMap | undefined {
  const found = INLINE.exec(code.slice(code.lastIndexOf("\n//") + 1));
  return found === null ? undefined : readMap(Buffer.from(found[1]!, "base64").toString("utf8"), withTexts);
}

/** Whether `mapStack` must read the whole program. */
export const hasInlineMap = (code: string): boolean =>
  code.startsWith("//# sourceMappingURL=", code.lastIndexOf("\n//") + 1) ||
  code.startsWith("//@ sourceMappingURL=", code.lastIndexOf("\n//") + 1);

/**
 * @param stack trace with frames of `specifier`, lines and columns from 1
 * @param code the program, possibly with an inline source map
 * @returns the trace with those frames mapped to the source, or unchanged
 */
export function mapStack(stack: string, code: string, specifier: string): string {
  if (!stack.includes(`${specifier}:`)) return stack;
  const map = inlineMap(code);
  if (map === undefined) return stack;
  const mappings = new Mappings(map.mappings);
  let mapped = 0;
  return stack
    .split("\n")
    .map((frame) => {
      const at = frame.indexOf(`${specifier}:`);
      const place = at < 0 ? null : /^(\d+):(\d+)/.exec(frame.slice(at + specifier.length + 1));
      if (place === null || mapped === MAX_MAPPED_FRAMES) return frame;
      mapped += 1;
      const found = mappings.at(Number(place[1]) - 1, Number(place[2]) - 1);
      const source = found && map.sources[found.source];
      if (found === undefined || typeof source !== "string" || source.length > MAX_SOURCE_NAME) return frame;
      const rest = frame.slice(at + specifier.length + 1 + place[0].length);
      return `${frame.slice(0, at)}${source}:${found.line + 1}:${found.column + 1}${rest}`;
    })
    .join("\n");
}
