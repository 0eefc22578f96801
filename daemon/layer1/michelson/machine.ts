// Runs checked code with a stack of its own for what is to be done next, so that loops, lambdas and views of a script
// nest as deeply as their gas allows without nesting the host, and so that a run can rest and go on later. It pays for
// each end of a code and for each thing that waits there as the protocol does (Octez, `script_interpreter.ml`).
import type { Job } from "../job.ts";
import { CONTROL } from "./costs.ts";
import type { GasMeter } from "./gas.ts";
import { type Code, type Frame, type Stack, stackOf } from "./instruction.ts";
import { MichelsonError, temporary } from "./michelson-error.ts";
import type { Trace } from "./trace.ts";
import type { Value } from "./value.ts";
import { bytesInUse } from "./values-in-use.ts";

/** How much a script may leave to be done later: calls of a lambda within a lambda, above all. */
const MAX_PENDING = 100_000;
/** Bytes of values in use from which on a run is charged for all that it builds: counting takes room itself. */
const MAX_COUNTED_BYTES = 33_554_432;

/** What waits for the end of a code, other than the rest of another code. */
export interface Waiting {
  /** Milligas. */
  readonly cost: number;
  /** Values that it holds, and lists of them. */
  readonly holds: readonly unknown[];
  /** @returns true when it has begun some code; false when what waits below it is next */
  resume(machine: Machine, stack: Stack): boolean;
}

/** Place of a {@link Waiting} among those in codes. */
const NOT_IN_CODE = -1;

export class Machine {
  readonly gas: GasMeter;
  /** The contract that runs: a view runs as another one than who asked for it. */
  frame: Frame;
  readonly #trace: Trace | undefined;
  /** Views that run now: they leave no trace. */
  #views = 0;
  /** Whether the instruction that runs has gone elsewhere. */
  #jumped = false;
  /** The rest of the instruction that runs, which does not end in one go. */
  #job: Job<void> | undefined;
  #stack: Stack;
  #code: Code;
  #at = 0;
  /** What waits, and for codes where in them. */
  readonly #waiting: (Code | Waiting)[] = [];
  readonly #places: number[] = [];

  constructor(frame: Frame, code: Code, stack: Stack, trace?: Trace) {
    this.frame = frame;
    this.gas = frame.gas;
    this.#code = code;
    this.#stack = stack;
    this.#trace = trace;
    trace?.record(code.locate(0), this.gas.used, stack, code.types[0]);
  }

  /** Leaves the rest of the present code for later. */
  keep(): void {
    this.#push(this.#code, this.#at);
  }

  /** Has the instruction that runs end with a job, which pays as it goes on. */
  rest(job: Job<void>): void {
    this.#job = job;
  }

  /** Leaves something for later. */
  wait(waiting: Waiting): void {
    this.#push(waiting, NOT_IN_CODE);
  }

  #push(waiting: Code | Waiting, place: number): void {
    if (this.#waiting.length >= MAX_PENDING)
      throw new MichelsonError(temporary("sandbox.too_many_recursive_calls"));
    this.#waiting.push(waiting);
    this.#places.push(place);
  }

  /** Goes on with a code, as a part of the instruction at this place of the script. */
  begin(code: Code, place: number): void {
    this.call(code);
    if (this.#trace && this.#views === 0)
      this.#trace.record(place, this.gas.used, this.#stack, code.types[0]);
  }

  /** Goes on with a code whose beginning is no step in a trace. */
  call(code: Code): void {
    this.#code = code;
    this.#at = 0;
    this.#jumped = true;
  }

  /** Runs a code as a part of the instruction, then the rest of the present one. */
  enter(code: Code, place: number): void {
    this.keep();
    this.begin(code, place);
  }

  /** Runs a code in place of the rest of the instruction, which ends with {@link comeBack}. */
  detour(code: Code): void {
    this.keep();
    this.call(code);
  }

  /** Goes on with what follows the instruction that made a detour. */
  comeBack(): void {
    const place = this.#places.pop()!;
    this.call(this.#waiting.pop() as Code);
    this.#at = place;
    if (this.#trace) this.#recordBefore(place);
  }

  /** Goes on with what waits. */
  proceed(): boolean {
    this.#jumped = true;
    for (;;) {
      const place = this.#places.pop();
      if (place === undefined) {
        this.gas.spend(CONTROL.end);
        return false;
      }
      const waiting = this.#waiting.pop()!;
      if (place !== NOT_IN_CODE) {
        this.gas.spend(CONTROL.continue);
        this.#code = waiting as Code;
        this.#at = place;
        if (this.#trace) this.#recordBefore(place);
        return true;
      }
      this.gas.spend((waiting as Waiting).cost);
      if ((waiting as Waiting).resume(this, this.#stack)) return true;
    }
  }

  /** Calls code on a stack of its own; what it returns is pushed on the present stack. */
  apart(code: Code, stack: Stack): void {
    const outer = this.#stack;
    this.keep();
    this.wait({
      cost: CONTROL.lambdaReturn,
      holds: [outer],
      resume: (_, inner) => {
        outer.push(inner[inner.length - 1]!);
        this.#stack = outer;
        return false;
      },
    });
    this.#stack = stack;
    this.call(code);
  }

  /** Calls a view as another contract; what `use` makes of its answer is pushed on the present stack. */
  view(frame: Frame, code: Code, input: Value, use: (answer: Value) => Value): void {
    const [outer, asker] = [this.#stack, this.frame];
    this.keep();
    this.wait({
      cost: CONTROL.lambdaReturn + CONTROL.continue,
      holds: [outer],
      resume: (_, inner) => {
        outer.push(use(inner[inner.length - 1]!));
        this.#stack = outer;
        return false;
      },
    });
    this.wait({
      cost: CONTROL.viewReturn,
      holds: [],
      resume: () => {
        this.frame = asker;
        this.#views--;
        return false;
      },
    });
    this.#views++;
    this.frame = frame;
    this.#stack = stackOf(input);
    this.call(code);
  }

  /**
   * Finds out how much of the room that was taken is in use no longer, when that is worth it.
   * @param before room that there was when this machine began: what was taken of it earlier stays taken
   */
  *findRoom(before: number): Job<void> {
    // What an instruction has half done, and what a trace has kept, is not counted.
    if (!this.gas.isRoomScarce || this.#job || this.#trace) return;
    const roots: unknown[] = [this.#stack, this.#code.holds];
    for (const { holds } of this.#waiting) roots.push(holds);
    const inUse = yield* bytesInUse(roots, MAX_COUNTED_BYTES);
    this.gas.countedRoom(inUse === undefined ? undefined : before - inUse);
  }

  /** Goes on until about this much gas is spent. @returns true at the end of the code */
  run(milligas: number): boolean {
    const { gas } = this;
    const until = gas.left - milligas;
    for (;;) {
      if (this.#job) {
        if (!this.#job.next().done) {
          if (gas.left <= until) return false;
          continue;
        }
        this.#job = undefined;
        if (this.#trace) this.#recordBefore(this.#at);
      }
      const { steps } = this.#code;
      if (this.#at < steps.length) {
        if (gas.left <= until) return false;
        this.#jumped = false;
        steps[this.#at++]!(this, this.#stack);
        if (this.#job) continue;
        if (this.#trace && !this.#jumped) this.#recordBefore(this.#at);
      } else {
        gas.spend(CONTROL.halt);
        if (!this.proceed()) return true;
      }
    }
  }

  /** Records what the instruction before this place has left. */
  #recordBefore(place: number): void {
    if (this.#views > 0) return;
    const code = this.#code;
    this.#trace!.record(code.locate(place - 1), this.gas.used, this.#stack, code.types[place]);
  }
}
