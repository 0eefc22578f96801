// The trace of a run: after each instruction its location in the script, the gas used and the stack. For `trace_code` and
// the errors of overflows. Which steps are recorded: Octez, `script_interpreter_logging.ml`.
import type { Stack } from "./instruction.ts";
import { MichelsonError, temporary } from "./michelson-error.ts";
import type { StackType } from "./stack-type.ts";
import type { Value } from "./value.ts";

export interface TraceStep {
  /** Location of the instruction in its script. */
  readonly location: number;
  /** Milligas that the step used. */
  readonly used: number;
  /** The top is the last. */
  readonly stack: readonly Value[];
  readonly types: StackType;
}

/** Values on all stacks together: gas does not pay for the memory of a trace. */
const MAX_VALUES = 2_000_000;

export class Trace {
  readonly steps: TraceStep[] = [];
  #usedBefore = 0;
  #values = 0;

  /** @throws MichelsonError sandbox.memory_exhausted */
  record(location: number, used: number, stack: Stack, types: StackType | undefined): void {
    this.#values += stack.length + 1;
    if (this.#values > MAX_VALUES) throw new MichelsonError(temporary("sandbox.memory_exhausted"));
    this.steps.push({ location, used: used - this.#usedBefore, stack: [...stack], types: types! });
    this.#usedBefore = used;
  }
}
