// Runs checked code with a stack of its own for what is to be done next, so that loops, lambdas and views of a script
// nest as deeply as their gas allows without nesting the host, and so that a run can rest and go on later.
import type { GasMeter } from "./gas.ts";
import type { Code, Frame, Stack, Step } from "./instruction.ts";
import { MichelsonError, temporary } from "./michelson-error.ts";
import type { Value } from "./value.ts";

/** How much a script may leave to be done later: calls of a lambda within a lambda, above all. */
const MAX_PENDING = 100_000;

export class Machine {
  readonly gas: GasMeter;
  /** The contract that runs: a view runs as another one than who asked for it. */
  frame: Frame;
  #stack: Stack;
  #code: Code;
  #at = 0;
  /** Code to go on with, and where in it. */
  readonly #codes: Code[] = [];
  readonly #places: number[] = [];

  constructor(frame: Frame, code: Code, stack: Stack) {
    this.frame = frame;
    this.gas = frame.gas;
    this.#code = code;
    this.#stack = stack;
  }

  /** Runs this code next, then what would have come next. */
  enter(code: Code): void {
    if (this.#at < this.#code.length) {
      if (this.#codes.length >= MAX_PENDING)
        throw new MichelsonError(temporary("michelson_v1.interp_too_many_recursive_calls"));
      this.#codes.push(this.#code);
      this.#places.push(this.#at);
    }
    this.#code = code;
    this.#at = 0;
  }

  /** Runs the code next, and this step right after it. */
  enterThen(code: Code, step: Step): void {
    this.enter([step]);
    this.enter(code);
  }

  /** Runs code on a stack of its own and brings the value on top of it to `use`, back on the present stack. */
  apart(code: Code, stack: Stack, use: (result: Value) => void): void {
    const outer = this.#stack;
    this.enterThen(code, (_, inner) => {
      this.#stack = outer;
      use(inner[inner.length - 1]!);
    });
    this.#stack = stack;
  }

  /** Goes on until about this much gas is spent. @returns true at the end of the code */
  run(milligas: number): boolean {
    const { gas } = this;
    const until = gas.left - milligas;
    for (;;) {
      if (this.#at < this.#code.length) {
        if (gas.left <= until) return false;
        this.#code[this.#at++]!(this, this.#stack);
      } else {
        const code = this.#codes.pop();
        if (!code) return true;
        this.#code = code;
        this.#at = this.#places.pop()!;
      }
    }
  }
}
