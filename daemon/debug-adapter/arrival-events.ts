// Events for the editor when a motion ends: the lines that the operation printed, then that it stopped or ended.
import type { Arrival, OpenedSession, ReleasedBy } from "../protocol/debug-session-api.ts";
import { visible } from "../text/visible-text.ts";
import type { EditorChannel } from "./editor-channel.ts";
import type { EditorPlaces } from "./editor-places.ts";

/** One program at a time: the operation. */
export const THREAD = 1;

export function printOutput(channel: EditorChannel, places: EditorPlaces, { output }: Arrival): void {
  for (const { text, source, line } of output)
    channel.print(text, "stdout", {
      ...(source === undefined ? {} : { source: places.shownSource(source) }),
      ...(line === undefined ? {} : { line: places.shownLine(line) }),
    });
}

/** @param steps of the operation */
export function sendStopped(
  channel: EditorChannel,
  { reason, moment, step, description }: Arrival,
  steps: number,
): void {
  const text = description === undefined ? undefined : visible(description);
  const more = text === undefined ? {} : { text };
  const label = reason === "data breakpoint" ? { description: `Changed: ${text}` } : {};
  channel.event("stopped", {
    reason,
    threadId: THREAD,
    allThreadsStopped: true,
    moment,
    step,
    steps,
    ...label,
    ...more,
  });
}

/** The operation stops before it is executed. */
export function sendHeld(channel: EditorChannel, hash: string, seconds: number): void {
  channel.event("functez/held", { hash, seconds });
  channel.print(
    `The operation is held: it goes on when you continue to its end or disconnect, in ${seconds} s at the latest.`,
  );
}

/** A held operation goes on. @param isShown whether the editor still looks at it */
export function sendReleased(
  channel: EditorChannel,
  { hash, by, isShown }: { readonly hash: string; readonly by: ReleasedBy; readonly isShown: boolean },
): void {
  channel.event("functez/released", { hash, by });
  if (isShown) channel.print("The operation went on; you look at its recording.", "important");
}

export function printEnd(channel: EditorChannel, { failure, gas }: OpenedSession): void {
  channel.print(
    failure === null ? `The operation has ended, with ${gas} gas.` : `The operation has failed: ${failure}`,
  );
}
