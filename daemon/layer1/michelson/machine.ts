// Runs checked code with an explicit stack of continuations, so that loops, lambdas and views nest as deeply as their gas
// allows without nesting on the call stack, and a run can pause and resume. Charges for each end of a code and each kind
// of continuation as the protocol does (Octez, `script_interpreter.ml`).
import type { Job } from "../job.ts";
import { CONTROL } from "./costs.ts";
import type { GasMeter } from "./gas.ts";
import { type Code, type Frame, type Stack, stackOf } from "./instruction.ts";
import { MichelsonError, temporary } from "./michelson-error.ts";
import type { Trace } from "./trace.ts";
import type { Value } from "./value.ts";
import { bytesInUse } from "./values-in-use.ts";

/** Limit on pending continuations, mainly of nested calls of lambdas. */
const MAX_PENDING = 100_000;
/** Bytes of values in use above which garbage is no longer searched for: counting takes memory itself. */
const MAX_COUNTED_BYTES = 33_554_432;

/** A continuation other than the rest of some code. */
export interface Waiting {
  /** Milligas. */
  readonly cost: number;
  /** Values that it holds, and lists of values. */
  readonly holds: readonly unknown[];
  /** @returns true when it has started some code; false when the continuation below it is next */
  resume(machine: Machine, stack: Stack): boolean;
}

/** Marks a {@link Waiting} among positions in code. */
const NOT_IN_CODE = -1;

export class Machine {
  readonly gas: GasMeter;
  /** The running contract; in a view, the contract that owns it. */
  frame: Frame;
  readonly #trace: Trace | undefined;
  /** Number of running views, which are not traced. */
  #views = 0;
  /** Whether the current instruction has transferred control. */
  #jumped = false;
  /** The rest of the current instruction, when it does not finish in one go. */
  #job: Job<void> | undefined;
  #stack: Stack;
  #code: Code;
  #at = 0;
  /** Continuations, and for code the position to continue at. */
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

  /** Pushes the rest of the current code as a continuation. */
  keep(): void {
    this.#push(this.#code, this.#at);
  }

  /** Lets the current instruction finish with a job, which charges as it proceeds. */
  finishWith(job: Job<void>): void {
    this.#job = job;
  }

  /** Pushes a continuation. */
  wait(waiting: Waiting): void {
    this.#push(waiting, NOT_IN_CODE);
  }

  #push(waiting: Code | Waiting, place: number): void {
    if (this.#waiting.length >= MAX_PENDING)
      throw new MichelsonError(temporary("sandbox.too_many_recursive_calls"));
    this.#waiting.push(waiting);
    this.#places.push(place);
  }

  /** Continues with code that belongs to the instruction at this location. */
  begin(code: Code, place: number): void {
    this.call(code);
    if (this.#trace && this.#views === 0)
      this.#trace.record(place, this.gas.used, this.#stack, code.types[0]);
  }

  /** Continues with code whose start is not a step of the trace. */
  call(code: Code): void {
    this.#code = code;
    this.#at = 0;
    this.#jumped = true;
  }

  /** Runs code as a part of the current instruction, then the rest of the current code. */
  enter(code: Code, place: number): void {
    this.keep();
    this.begin(code, place);
  }

  /** Runs code in place of the rest of the instruction; it ends with {@link endDetour}. */
  detour(code: Code): void {
    this.keep();
    this.call(code);
  }

  /** Continues after the instruction that made a detour. */
  endDetour(): void {
    const place = this.#places.pop()!;
    this.call(this.#waiting.pop() as Code);
    this.#at = place;
    if (this.#trace) this.#recordBefore(place);
  }

  /** Continues with the top continuation. */
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

  /** Runs code on a stack of its own and pushes its result on the current stack. */
  runOnOwnStack(code: Code, stack: Stack): void {
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

  /** Runs a view as another contract and pushes what `use` makes of its result on the current stack. */
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
   * Finds out how much of the reserved memory is garbage, when that pays off.
   * @param before room when this machine started: earlier reservations stay
   */
  *findRoom(before: number): Job<void> {
    // Values held by an unfinished instruction or by a trace cannot be counted.
    if (!this.gas.isRoomScarce || this.#job || this.#trace) return;
    const roots: unknown[] = [this.#stack, this.#code.holds];
    for (const { holds } of this.#waiting) roots.push(holds);
    const inUse = yield* bytesInUse(roots, MAX_COUNTED_BYTES);
    this.gas.recordRoom(inUse === undefined ? undefined : before - inUse);
  }

  /** Runs until about this much gas is spent. @returns true at the end of the code */
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

  /** Records the stack after the instruction before this position. */
  #recordBefore(place: number): void {
    if (this.#views > 0) return;
    const code = this.#code;
    this.#trace!.record(code.locate(place - 1), this.gas.used, this.#stack, code.types[place]);
  }
}
