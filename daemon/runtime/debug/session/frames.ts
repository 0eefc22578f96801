// The call stack where the debugger is: functions on the stack of the running instance, functions that wait for them
// with `await`, and, over calls of smart functions, those that wait for the answer. The recording tells who called
// whom; the memory of the instances has what still lives of them.
import type { SessionFrame } from "../../../protocol/debug-session-api.ts";
import type { Vm } from "../../engine/vm.ts";
import { functionName } from "../function-name.ts";
import type { Frame, HeapReader } from "../heap-reader.ts";
import { stackOf } from "../navigate.ts";
import type { Originals } from "../originals.ts";
import { positionAt } from "../positions.ts";
import type { Recorder } from "../recorder.ts";
import type { Place, Recording } from "../recording.ts";

/** Frames that are shown. */
const MAX_FRAMES = 1_000;

export interface StackFrame extends SessionFrame {
  /** Index of the call in the recording. */
  readonly call: number;
  /** Undefined for a function that has returned. */
  readonly live: { readonly vm: Vm; readonly heap: HeapReader; readonly frame: Frame } | undefined;
}

export interface StackSources {
  readonly recording: Recording;
  readonly originals: Originals;
  /** For each activation its last event. */
  readonly lastEvents: Int32Array;
}

export function lastEventsOf({ events, activations }: Recording): Int32Array {
  const found = new Int32Array(activations.length).fill(-1);
  for (let i = 0; i < events.length; i++) {
    const activation = events.activation[i]!;
    if (activation >= 0) found[activation] = i;
  }
  return found;
}

/** @param pc the bytecode that comes next in the running frame */
export function framesAt(sources: StackSources, recorder: Recorder, event: number, pc: number): StackFrame[] {
  const { recording, originals, lastEvents } = sources;
  const { activations, calls, functions } = recording;
  const stack = recorder.stack();
  const onStack = new Map(stack.map((frame) => [frame.address, frame]));
  const running = stack[0]?.address;
  const current = callOf(recording, event);

  function frameOf(activation: number): StackFrame {
    const { call, fn } = activations[activation]!;
    const found = recorder.frameOf(call, activation);
    const frame = found?.heap.frame(found.address);
    const isOnStack = call === current && found !== undefined && onStack.has(found.address);
    const isSuspended = !isOnStack && frame?.isResumed === true && lastEvents[activation]! > event;
    const live =
      found !== undefined && frame !== undefined && (isOnStack || isSuspended)
        ? { vm: found.vm, heap: found.heap, frame }
        : undefined;
    const isRunning = isOnStack && found.address === running;
    const place =
      live === undefined
        ? undefined
        : placeOf(originals, live, isRunning ? pc : live.heap.pcOf(live.frame.address));
    const { source, line, column } = place ?? lastPlace(recording, activation, event);
    const state = isRunning ? "running" : isOnStack ? "calls" : isSuspended ? "awaits" : "returned";
    return {
      name: functionName(functions[fn]!, originals),
      source,
      line,
      column,
      address: calls[call]!.address,
      state,
      call,
      live,
    };
  }

  return stackOf(recording, event).slice(0, MAX_FRAMES).map(frameOf);
}

/** The call to which an event belongs. */
export function callOf({ events, activations }: Recording, event: number): number {
  const activation = events.activation[event]!;
  return activation < 0 ? -1 - activation : activations[activation]!.call;
}

function placeOf(
  originals: Originals,
  { frame }: { readonly frame: Frame },
  pc: number,
): Pick<Place, "source" | "line" | "column"> | undefined {
  const { file, code, positions, line, column } = frame.fn;
  const position = positionAt(positions, pc - code) ?? { line, column };
  return (
    originals.original(file, position.line, position.column) ?? {
      source: file,
      line: position.line,
      column: position.column,
    }
  );
}

/** Where an activation was last. */
function lastPlace(
  { events, places, functions, activations }: Recording,
  activation: number,
  event: number,
): Place {
  for (let at = event; at >= 0; at--)
    if (events.activation[at] === activation && events.place[at] !== 0) return places[events.place[at]!]!;
  return places[functions[activations[activation]!.fn]!.firstPlace]!;
}
