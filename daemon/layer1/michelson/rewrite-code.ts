// Rewrites the data in code in a given form: each PUSH names its type, so its datum can be parsed and unparsed. PACK,
// storage and receipts show lambdas this way. Source: Octez, `unparse_code_rec` in `script_ir_unparser.ml`.
import { MAX_DEPTH, type Micheline, hasSameDigits, isPrim, isSequence } from "../../tezos/micheline.ts";
import type { Job } from "../job.ts";
import { WRITE_CODE_NODE } from "./check-costs.ts";
import { type GasMeter, noGasLimit } from "./gas.ts";
import { MichelsonError, temporary } from "./michelson-error.ts";
import { TYPE_RULES, parseType } from "./parse-type.ts";
import { readValue } from "./parse-value.ts";
import { type Type } from "./type.ts";
import { writeWithRests } from "./unparse-value.ts";
import type { Form, LambdaValue } from "./value.ts";

type CheckLambda = (
  argument: Type,
  result: Type,
  code: Micheline,
  recursive: boolean,
  gas: GasMeter,
) => Job<LambdaValue>;

/** @throws MichelsonError when a datum has not its type, or gas does not suffice */
export function* rewriteCode(
  code: Micheline,
  form: Form,
  gas: GasMeter | undefined,
  checkLambda: CheckLambda,
): Job<Micheline> {
  const meter = gas ?? noGasLimit();
  return yield* new CodeWriter(form, meter, checkLambda).write(code, 1);
}

class CodeWriter {
  readonly #form: Form;
  readonly #gas: GasMeter;
  readonly #checkLambda: CheckLambda;

  constructor(form: Form, gas: GasMeter, checkLambda: CheckLambda) {
    this.#form = form;
    this.#gas = gas;
    this.#checkLambda = checkLambda;
  }

  *write(node: Micheline, depth: number): Job<Micheline> {
    this.#enter(depth);
    if (this.#gas.isRestDue()) yield;
    if (isSequence(node)) return yield* this.#items(node, depth);
    if (!isPrim(node) || !node.args) return node;
    const { prim, args } = node;
    const [typeNode, datum] = args;
    const written =
      prim === "PUSH" && args.length === 2
        ? withItems(args, [typeNode!, yield* this.#datum(typeNode!, datum!)])
        : yield* this.#items(args, depth);
    return written === args ? node : { ...node, args: written };
  }

  #enter(depth: number): void {
    this.#gas.spend(WRITE_CODE_NODE);
    if (depth > MAX_DEPTH) throw new MichelsonError(temporary("michelson_v1.unparsing_stack_overflow"));
  }

  *#items(items: readonly Micheline[], depth: number): Job<readonly Micheline[]> {
    const written: Micheline[] = [];
    for (const item of items) {
      if (isSequence(item) || (isPrim(item) && item.args)) written.push(yield* this.write(item, depth + 1));
      else {
        this.#enter(depth + 1);
        written.push(item);
      }
    }
    return withItems(items, written);
  }

  *#datum(typeNode: Micheline, datum: Micheline): Job<Micheline> {
    const known = rewritten.get(datum)?.[this.#form];
    if (known?.type === typeNode) {
      this.#gas.spend(known.cost);
      return known.written;
    }
    const before = this.#gas.used;
    const fresh = yield* this.#datumAnew(typeNode, datum);
    const written = isSame(fresh, datum) ? datum : fresh;
    const entry = { type: typeNode, written, cost: this.#gas.used - before };
    rewritten.set(datum, { ...rewritten.get(datum), [this.#form]: entry });
    return written;
  }

  *#datumAnew(typeNode: Micheline, datum: Micheline): Job<Micheline> {
    const gas = this.#gas;
    const pushed = parseType(typeNode, { rules: TYPE_RULES.packable, gas });
    const value = yield* readValue(pushed, datum, {
      gas,
      compileLambda: (argument, result, inner, recursive) =>
        this.#checkLambda(argument, result, inner, recursive, gas),
      hasEntrypoint: () => false,
      bigMapTypes: () => undefined,
      allowTickets: false,
      allowBigMapIds: false,
    });
    return yield* writeWithRests(pushed, value, this.#form, gas);
  }
}

interface Rewritten {
  readonly type: Micheline;
  readonly written: Micheline;
  /** Milligas. */
  readonly cost: number;
}

/** By datum: APPLY nests lambdas, and all of them are rewritten each time. */
const rewritten = new WeakMap<object, { readonly [form in Form]?: Rewritten }>();

/** Items as they were written anew; the same list when none has changed, so that what is known of it stays known. */
const withItems = (items: readonly Micheline[], written: readonly Micheline[]): readonly Micheline[] =>
  written.some((item, i) => item !== items[i]) ? written : items;

/** Whether two expressions have the same notation. Shared subtrees are not traversed. */
function isSame(a: Micheline, b: Micheline): boolean {
  if (a === b) return true;
  if (isSequence(a) || isSequence(b))
    return (
      isSequence(a) && isSequence(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i]!))
    );
  if ("int" in a && "int" in b) return hasSameDigits(a, b);
  if (!isPrim(a) || !isPrim(b)) return !isPrim(a) && !isPrim(b) && JSON.stringify(a) === JSON.stringify(b);
  if (a.prim !== b.prim || a.annots?.length || b.annots?.length) return false;
  return isSame(a.args ?? [], b.args ?? []);
}
