// The call stack as the protocol has it. Above each call between functions a label says which function calls which.
import type { SessionFrame } from "../protocol/debug-session-api.ts";
import { visible } from "../text/visible-text.ts";
import type { Fields } from "../tezos/json-fields.ts";
import type { EditorPlaces } from "./editor-places.ts";
import { numberIn } from "./request-fields.ts";

/** Numbers of frames from here on are labels. */
const LABELS = 1_000_000;

/** @param args of the `stackTrace` request, which may want only some levels */
export function shownStack(
  frames: readonly SessionFrame[],
  { places, nameOf }: { readonly places: EditorPlaces; readonly nameOf: (address: string) => string },
  args: Fields,
): object {
  const shown: object[] = [];
  frames.forEach(({ name, source, line, column, address, state }, i) => {
    const called = frames[i - 1];
    if (called !== undefined && called.address !== address) {
      const label = `${nameOf(address)} calls ${nameOf(called.address)}`;
      shown.push({ id: LABELS + i, name: label, line: 0, column: 0, presentationHint: "label" });
    }
    shown.push({
      id: i + 1,
      name: visible(state === "running" || state === "calls" ? name : `${name} (${state})`),
      source: places.shownSource(source),
      line: places.shownLine(line),
      column: places.shownColumn(column),
      canRestart: true,
      ...(state === "returned" ? { presentationHint: "subtle" } : {}),
    });
  });
  const start = typeof args["startFrame"] === "number" ? args["startFrame"] : 0;
  const levels = typeof args["levels"] === "number" && args["levels"] > 0 ? args["levels"] : shown.length;
  return { stackFrames: shown.slice(start, start + levels), totalFrames: shown.length };
}

/** Index of the frame that a request names; undefined for a label or none. */
export function frameIndexIn(args: Fields): number | undefined {
  const id = args["frameId"];
  return typeof id === "number" && id < LABELS ? id - 1 : undefined;
}

/** As `frameIndexIn`, for a request that has to name one. @throws MalformedJson */
export function requiredFrameIndex(args: Fields): number | undefined {
  numberIn(args, "frameId");
  return frameIndexIn(args);
}
