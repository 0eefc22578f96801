// Evaluates expressions where the program is paused, and shows their results. A result exists only while it is
// evaluated, so its children are found by evaluating it again and walking to them.
import type { EvaluatedExpression, SessionVariable } from "../../../protocol/debug-session-api.ts";
import type { Vm } from "../../engine/vm.ts";
import { evaluate, type EvaluationScope } from "../evaluator.ts";
import type { HeapReader } from "../heap-reader.ts";
import type { Shown } from "../value-children.ts";
import { textOf } from "../value-text.ts";
import { childrenOf, viewOf } from "../value-view.ts";
import { type Parent, References, type Step, variableOf, walk } from "./references.ts";

/** Characters of a value that a console or the clipboard gets. */
const MAX_WHOLE = 1_000_000;

/** A frame, or a call without one, as expressions see it. */
export interface Viewpoint {
  readonly vm: Vm;
  readonly heap: HeapReader;
  readonly scope: EvaluationScope;
  readonly references: References;
}

export class Looking {
  readonly #from: Viewpoint;

  constructor(from: Viewpoint) {
    this.#from = from;
  }

  #evaluated<T>(expression: string, read: (bits: bigint) => T): T {
    const { vm, heap, scope } = this.#from;
    return evaluate(vm, heap, expression, scope, read);
  }

  /** @throws SandboxError EXPRESSION_FAILED, EXPRESSION_EFFECT, EXPRESSION_ENDLESS */
  evaluate(expression: string, isWhole: boolean): EvaluatedExpression {
    const { heap, references } = this.#from;
    return this.#evaluated(expression, (bits) => {
      const { text, type, named, indexed } = viewOf(heap, { kind: "value", bits });
      const whole = isWhole ? textOf(heap, bits, MAX_WHOLE) : undefined;
      const ref = named + indexed > 0 ? references.add(this.#childrenAt(expression, [])) : 0;
      return { value: whole === undefined ? text : JSON.stringify(whole), type, ref, named, indexed };
    });
  }

  /** Whether a condition holds. @throws as above */
  holds(condition: string): boolean {
    return this.#evaluated(`!!(${condition}\n)`, (bits) => {
      const value = this.#from.heap.value(bits);
      return value.kind === "boolean" && value.value;
    });
  }

  /** The text of an expression in a log message. @param most characters @throws as above */
  text(expression: string, most: number): string {
    const { heap } = this.#from;
    return this.#evaluated(
      expression,
      (bits) => textOf(heap, bits, most) ?? viewOf(heap, { kind: "value", bits }).text,
    );
  }

  /** The value of a getter, as the one child. */
  lazily(expression: string): Parent {
    return ({ kind, start }) => {
      if (kind !== "named" || start > 0) return [];
      return this.#evaluated(expression, (bits) => [
        this.#variable(expression, expression, { kind: "value", bits }, []),
      ]);
    };
  }

  /** @param steps from the result to the parent */
  #childrenAt(expression: string, steps: readonly Step[]): Parent {
    const { heap } = this.#from;
    return ({ kind, start, count }) =>
      this.#evaluated(expression, (bits) => {
        const parent = walk(heap, { kind: "value", bits }, steps);
        if (parent === undefined) return [];
        return childrenOf(heap, parent, kind, start, count).map(({ name, shown }, i) =>
          this.#variable(expression, name, shown, [...steps, { kind, index: start + i }]),
        );
      });
  }

  #variable(
    expression: string,
    name: string,
    shown: Shown | undefined,
    steps: readonly Step[],
  ): SessionVariable {
    const { heap, references } = this.#from;
    const showing = { references: new References(), heap, lazily: () => () => [] };
    const variable = variableOf(showing, name, shown, undefined);
    if (variable.named + variable.indexed === 0 || shown === undefined) return { ...variable, ref: 0 };
    return { ...variable, ref: references.add(this.#childrenAt(expression, steps)) };
  }
}
