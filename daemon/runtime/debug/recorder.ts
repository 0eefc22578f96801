// Watches a replay and records it. An event happens only where a bytecode is exactly the start of a row of its
// function's table of positions: ranges are wrong, since a loop's control code lies in the range of its body's last
// statement. Of these rows an event is one on another line or in another activation than the last event, or the lowest
// of its line, so that each turn of a loop counts, or, on demand, of a statement on it. Gas is settled whenever the position changes; what the runtime's own
// code uses belongs to the line of the program that called it.
import type { GuestCall, GuestEngine, GuestStep } from "../call/guest.ts";
import type { CallRequest } from "../call/http-message.ts";
import { GAS_RESERVE } from "../engine/limits.ts";
import type { Vm } from "../engine/vm.ts";
import type { Watcher } from "../engine/watcher.ts";
import { FunctionTable, type IsStatement, type KnownFunction, type Original } from "./function-table.ts";
import type { HeapReader } from "./heap-reader.ts";
import { FRAME, TAG } from "./layout.ts";
import {
  type Activation,
  EVENT,
  Events,
  type Later,
  type RecordedCall,
  type Recording,
  RUNTIME_PLACE,
} from "./recording.ts";
import { steppedGuest } from "./stepped-guest.ts";
import {
  frameOf,
  frameOfActivation,
  framesOn,
  type LiveActivation,
  type LiveFrame,
  type RawFrame,
  userAbove,
  watch,
  type WatchedInstance,
} from "./watched-instance.ts";

/** Events kept: 21 bytes each. */
const MAX_EVENTS = 4_000_000;
/** Sees more of a run than lines. */
export interface RecorderEvents {
  /** @param event index of the event of the throw; @param bits of what is thrown */
  thrown?(event: number, heap: HeapReader, bits: bigint): void;
  /** A call fails with what is thrown. @param event index of the latest event */
  failed?(event: number, call: number, bits: bigint): void;
  /** What was recorded from this event on will happen again. */
  undone?(event: number): void;
  /** The next line after `afterwards` was called. */
  line?(event: number): void;
  /** Bytecode `goal` is next: may set another goal, or throw. */
  reached?(vm: Vm, pc: number): void;
}

export interface RecorderOptions {
  readonly maxEvents?: number;
  /** False: only moments, frames and activations are followed, which is faster. */
  readonly isRecording?: boolean;
  readonly events?: RecorderEvents;
  /** Statements in the middle of a line are lines of their own where this holds. */
  readonly isStatement?: IsStatement;
}

/** A call under way. */
interface WatchedCall {
  readonly index: number;
  /** More while its module is evaluated ahead of it, and where that raised the limit. */
  gasLimit: number;
  /** Known from the first bytecode on. */
  watched: WatchedInstance | undefined;
  /** Gas of the top level, which the call pays as it begins. */
  prepaid: number;
}

const NOTHING = new Uint32Array(0);

export class Recorder implements Watcher {
  readonly #table: FunctionTable;
  readonly #maxEvents: number;
  readonly #isRecording: boolean;
  readonly #hear: RecorderEvents;
  readonly #opened: WatchedCall[] = [];
  /** The moment at which `reached` is called. */
  goal = Infinity;
  #wantsLine = false;
  readonly #calls: RecordedCall[] = [];
  readonly #activations: Activation[] = [];
  readonly #events = new Events();
  readonly #origins = new WeakMap<CallRequest, number>();
  #moment = 0;
  #later = new Map<number, Later>();
  #isFull = false;

  #current: WatchedCall | undefined;
  /** The instance whose steps count; others work for it. */
  #vm: Vm | undefined;
  #watched: WatchedInstance | undefined;
  #words: Uint32Array = NOTHING;
  #frameWord = 0;
  /** The running frame, its code and its rows. */
  #frame = 0;
  #code = 0;
  #rows: Uint32Array = NOTHING;
  #running: KnownFunction | undefined;
  /** The activation to which gas belongs; -1 - call for the runtime's own work. */
  #activation = 0;
  #live: LiveActivation | undefined;
  #line = -1;
  /** Gas used by the current call when it was last settled. */
  #settled = 0;
  /** What was recorded before the top level that is being evaluated ahead of its call. */
  #before:
    | {
        readonly events: number;
        /** Of the last of them. */
        readonly gas: number;
        readonly later: Map<number, Later>;
        readonly isFull: boolean;
      }
    | undefined;

  constructor(original: Original = () => undefined, options: RecorderOptions = {}) {
    this.#table = new FunctionTable(original, options.isStatement);
    this.#maxEvents = options.maxEvents ?? MAX_EVENTS;
    this.#isRecording = options.isRecording ?? true;
    this.#hear = options.events ?? {};
  }

  recording(): Recording {
    return {
      calls: this.#calls,
      functions: this.#table.functions,
      places: this.#table.places,
      activations: this.#activations,
      events: this.#events,
      later: this.#later,
    };
  }

  /** Number of the bytecode that comes next. */
  get moment(): number {
    return this.#moment;
  }

  /** Frames on the stack of the running instance, the running one first; native ones and the runtime's included. */
  stack(): LiveFrame[] {
    const watched = this.#watched;
    if (watched === undefined || this.#vm === undefined) return [];
    return framesOn(watched);
  }

  /** The frame of an activation, if the instance of its call is known; it may have returned. */
  frameOf(call: number, activation: number): LiveFrame | undefined {
    const watched = this.#opened[call]?.watched;
    return watched && frameOfActivation(watched, activation);
  }

  /** Adds an event for a change of state, now. @returns its index; -1 when nothing is recorded any more */
  change(): number {
    if (this.#current === undefined || this.#isFull || !this.#isRecording) return -1;
    if (this.#vm !== undefined) this.#settleNow();
    this.#add(EVENT.changed, this.#live?.place ?? RUNTIME_PLACE);
    return this.#isFull ? -1 : this.#events.length - 1;
  }

  /** Asks for the next line's event. */
  afterwards(): void {
    this.#wantsLine = true;
  }

  /** Whether only the beginning was recorded. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** The engine, telling the recorder where calls begin, go on and stop. */
  observe(guests: GuestEngine): GuestEngine {
    return {
      check: (code, specifier, gas) => guests.check(code, specifier, gas),
      liveBytes: () => guests.liveBytes(),
      open: (program) => {
        const { effects, request, address, gas } = program;
        const parent = this.#origins.get(request) ?? -1;
        const index = this.#calls.push({ address, parent }) - 1;
        const call: WatchedCall = { index, gasLimit: Number(gas), watched: undefined, prepaid: 0 };
        this.#opened.push(call);
        this.#enter(call, 0);
        const guest = guests.open({
          ...program,
          effects: {
            ...effects,
            fetch: (id, made) => {
              this.#origins.set(made, Math.max(-1, this.#activation));
              effects.fetch(id, made);
            },
          },
        });
        this.#current = undefined;
        if (guest === undefined) return undefined;
        call.gasLimit = Number(gas + guest.raisedBy);
        return this.#observeCall(guest, call);
      },
    };
  }

  #observeCall(guest: GuestCall, call: WatchedCall): GuestCall {
    const step = (run: () => GuestStep): GuestStep => {
      this.#enter(call, Number(guest.gasUsed()));
      const result = run();
      this.#settle(Number(guest.gasUsed()));
      this.#leave();
      return result;
    };
    return steppedGuest(guest, step);
  }

  #enter(call: WatchedCall, gasUsed: number): void {
    this.#current = call;
    this.#settled = gasUsed;
    this.#activation = -1 - call.index;
    this.#live = undefined;
    this.#add(EVENT.resumed, RUNTIME_PLACE);
    if (call.watched !== undefined) this.#follow(call.watched);
  }

  #leave(): void {
    this.#current = undefined;
    this.#vm = undefined;
    this.#frame = 0;
  }

  evaluating(vm: Vm, gasLimit: number): void {
    if (this.#current === undefined) return;
    this.#current.gasLimit = gasLimit;
    const { length: events } = this.#events;
    const gas = events > 0 ? this.#events.gas[events - 1]! : 0;
    this.#before = { events, gas, later: new Map(this.#later), isFull: this.#isFull };
    this.#follow(watch(vm));
  }

  evaluated(_vm: Vm, gas: number | undefined): void {
    if (this.#current === undefined || this.#before === undefined) return;
    if (gas !== undefined) {
      this.#settle(gas);
      this.#current.prepaid = gas;
    } else {
      // It happens again in the call.
      this.#events.length = this.#before.events;
      // Until the first bytecode, what was used went to the last event from before.
      if (this.#before.events > 0) this.#events.gas[this.#before.events - 1] = this.#before.gas;
      this.#hear.undone?.(this.#before.events);
      this.#later = this.#before.later;
      this.#isFull = this.#before.isFull;
    }
    this.#before = undefined;
    this.#leave();
  }

  #follow(watched: WatchedInstance): void {
    this.#vm = watched.vm;
    this.#watched = watched;
    watched.heap.refresh();
    this.#words = watched.heap.words;
    this.#frameWord = watched.frameAt >>> 2;
    this.#frame = 0;
  }

  bytecode(vm: Vm, pc: number): void {
    if (vm !== this.#vm) {
      const call = this.#current;
      // Another instance that works for this call checks code that is deployed.
      if (call === undefined || call.watched !== undefined || this.#before !== undefined) return;
      this.#follow((call.watched = watch(vm)));
    }
    this.#moment++;
    let frame = this.#words[this.#frameWord];
    if (frame === undefined) {
      // The memory has grown.
      this.#watched!.heap.refresh();
      this.#words = this.#watched!.heap.words;
      frame = this.#words[this.#frameWord]!;
    }
    if (frame !== this.#frame || pc === this.#code) this.#switchTo(frame, pc);
    if (this.#moment === this.goal) this.#hear.reached?.(vm, pc);
    const row = this.#rows[pc - this.#code];
    if (row !== undefined && row !== 0) this.#reached(row - 1);
  }

  /** Another frame runs, or the same one from its first bytecode: a native function calls it again. */
  #switchTo(address: number, pc: number): void {
    const watched = this.#watched!;
    this.#frame = address;
    watched.heap.refresh();
    const frame = frameOf(watched, address);
    const known = frame && this.#table.functionOf(watched, frame.callee);
    this.#running = known;
    this.#code = known?.facts.code ?? 0;
    this.#rows = known?.isUser === true && this.#isRecording ? known.rowAt : NOTHING;
    if (known?.isFailure === true && pc === this.#code) this.#failing(watched, address);
    const live =
      known?.isUser === true
        ? this.#liveOf(watched, frame!, known, pc === known.facts.code)
        : userAbove(watched, address);
    if (live === this.#live && live !== undefined) return;
    this.#settleNow();
    this.#live = live;
    this.#activation = live?.activation ?? -1 - this.#current!.index;
    this.#line = -1;
    this.#add(EVENT.resumed, live?.place ?? RUNTIME_PLACE);
  }

  /** The runtime reports what a call has thrown: the argument of its function. */
  #failing({ heap }: WatchedInstance, address: number): void {
    const bits = heap.bits(heap.word(address + FRAME.arguments));
    this.#hear.failed?.(this.#events.length - 1, this.#current!.index, bits);
  }

  #liveOf(watched: WatchedInstance, frame: RawFrame, known: KnownFunction, isStart: boolean): LiveActivation {
    const before = watched.live.get(frame.address);
    if (before !== undefined && before.callee === frame.callee && !isStart) return before;
    const parent = userAbove(watched, frame.address)?.activation ?? -1;
    const made: Activation = { fn: known.index, call: this.#current!.index, parent };
    // Beyond the events nobody asks who called whom.
    const activation = (this.#isFull ? this.#activations.length : this.#activations.push(made)) - 1;
    const live = { callee: frame.callee, activation, place: this.#table.functions[known.index]!.firstPlace };
    watched.live.set(frame.address, live);
    return live;
  }

  #reached(row: number): void {
    const known = this.#running!;
    const line = known.lineOf[row]!;
    if (line === this.#line && known.isLowest[row] === 0) return;
    this.#settleNow();
    const place = this.#table.functions[known.index]!.firstPlace + row;
    this.#live!.place = place;
    this.#line = line;
    this.#add(EVENT.line, place);
    if (!this.#wantsLine || this.#isFull) return;
    this.#wantsLine = false;
    this.#hear.line?.(this.#events.length - 1);
  }

  thrown(vm: Vm, value: bigint): void {
    if (vm !== this.#vm || this.#current === undefined || !this.#isRecording) return;
    // The engine empties its place for exceptions in the same way.
    if (Number(BigInt.asIntN(32, value >> 32n)) === TAG.uninitialized) return;
    const events = this.#events;
    const last = events.length - 1;
    // Errors of the engine itself come twice.
    if (events.kind[last] === EVENT.thrown && events.moment[last] === this.#moment) return;
    this.#settleNow();
    this.#add(EVENT.thrown, this.#live?.place ?? RUNTIME_PLACE);
    if (this.#isFull || this.#hear.thrown === undefined) return;
    this.#watched!.heap.refresh();
    this.#hear.thrown(this.#events.length - 1, this.#watched!.heap, BigInt.asUintN(64, value));
  }

  #settleNow(): void {
    if (!this.#isRecording) return;
    const left = Math.max(0, this.#vm!.gas - GAS_RESERVE);
    this.#settle(this.#current!.gasLimit - left);
  }

  /** @param used gas of the current call so far */
  #settle(used: number): void {
    if (!this.#isRecording) return;
    let gas = used - this.#settled;
    this.#settled = used;
    if (gas <= 0) return;
    const call = this.#current!;
    if (this.#before === undefined && call.prepaid > 0) {
      const paid = Math.min(gas, call.prepaid);
      call.prepaid -= paid;
      gas -= paid;
    }
    if (this.#isFull) this.#addLater(gas, 0);
    else this.#events.gas[this.#events.length - 1]! += gas;
  }

  #addLater(gas: number, count: number): void {
    const place = this.#live?.place ?? RUNTIME_PLACE;
    const before = this.#later.get(place);
    this.#later.set(place, { gas: (before?.gas ?? 0) + gas, count: (before?.count ?? 0) + count });
  }

  #add(kind: number, place: number): void {
    if (!this.#isRecording) return;
    if (this.#events.length >= this.#maxEvents) this.#isFull = true;
    if (!this.#isFull) this.#events.add(this.#moment, kind, place, this.#activation);
    else if (kind === EVENT.line) this.#addLater(0, 1);
  }
}
