// An instance of the engine that the recorder watches during a call: its stack, and the activations that its frames
// belong to.
import type { Vm } from "../engine/vm.ts";
import type { KnownFunction } from "./function-table.ts";
import { type Frame, HeapReader } from "./heap-reader.ts";
import { FRAME } from "./layout.ts";

/** Frames looked through for one of the program. */
const MAX_DEPTH = 100_000;

/** A frame under way. */
export interface LiveFrame {
  readonly heap: HeapReader;
  readonly vm: Vm;
  /** Address of its JSStackFrame. */
  readonly address: number;
  readonly callee: number;
}

/** An activation whose frame was seen, by the address of that frame. */
export interface LiveActivation {
  readonly callee: number;
  readonly activation: number;
  /** Where it was last. */
  place: number;
}

/** Its memory and what lives in it. */
export interface WatchedInstance {
  readonly vm: Vm;
  readonly heap: HeapReader;
  readonly frameAt: number;
  readonly known: Map<number, KnownFunction>;
  readonly live: Map<number, LiveActivation>;
}

export type RawFrame = Pick<Frame, "address" | "callee">;

/** Begins to watch an instance. */
export function watch(vm: Vm): WatchedInstance {
  const heap = new HeapReader(vm);
  return { vm, heap, frameAt: heap.runningFrameAt, known: new Map(), live: new Map() };
}

/** A frame of a function made of bytecode. */
export function frameOf({ heap }: WatchedInstance, address: number): RawFrame | undefined {
  return heap.isBytecodeFrame(address) ? { address, callee: heap.word(address + FRAME.callee) } : undefined;
}

/** Frames on its stack, the running one first. */
export function framesOn(watched: WatchedInstance): LiveFrame[] {
  watched.heap.refresh();
  const found: LiveFrame[] = [];
  let at = watched.heap.word(watched.frameAt);
  for (; at !== 0 && found.length < MAX_DEPTH; at = watched.heap.callerOf(at)) {
    const callee = watched.heap.word(at + FRAME.callee);
    found.push({ heap: watched.heap, vm: watched.vm, address: at, callee });
  }
  return found;
}

/** The frame of an activation; it may have returned. */
export function frameOfActivation(watched: WatchedInstance, activation: number): LiveFrame | undefined {
  watched.heap.refresh();
  for (const [address, live] of watched.live)
    if (live.activation === activation && frameOf(watched, address)?.callee === live.callee)
      return { heap: watched.heap, vm: watched.vm, address, callee: live.callee };
  return undefined;
}

/** The nearest frame of the program above this one. */
export function userAbove(watched: WatchedInstance, address: number): LiveActivation | undefined {
  let at = watched.heap.callerOf(address);
  for (let depth = 0; at !== 0 && depth < MAX_DEPTH; depth++, at = watched.heap.callerOf(at)) {
    const live = watched.live.get(at);
    if (live === undefined) continue;
    const frame = frameOf(watched, at);
    // An address may have been another frame's before.
    if (frame?.callee === live.callee) return live;
  }
  return undefined;
}
