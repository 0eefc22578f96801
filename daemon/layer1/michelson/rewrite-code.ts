// Writes the data within code in a form: each PUSH names its type, so its datum is read and written anew. What PACK,
// storage and receipts show of a lambda depends on it. Source: Octez, `unparse_code_rec` in `script_ir_unparser.ml`.
import { MAX_DEPTH, type Micheline, isPrim, isSequence } from "../../tezos/micheline.ts";
import { WRITE_CODE_NODE } from "./check-costs.ts";
import { type GasMeter, unmetered } from "./gas.ts";
import { MichelsonError, temporary } from "./michelson-error.ts";
import { parseValue } from "./parse-value.ts";
import { TYPE_RULES, type Type, parseType } from "./type.ts";
import { writeValue } from "./unparse-value.ts";
import type { Form, LambdaValue } from "./value.ts";

type CheckLambda = (
  argument: Type,
  result: Type,
  code: Micheline,
  recursive: boolean,
  gas: GasMeter,
) => LambdaValue;

/** @throws MichelsonError when a datum has not its type, or gas does not suffice */
export function rewriteCode(
  code: Micheline,
  form: Form,
  gas: GasMeter | undefined,
  checkLambda: CheckLambda,
): Micheline {
  const meter = gas ?? unmetered();
  const write = (node: Micheline, depth: number): Micheline => {
    meter.spend(WRITE_CODE_NODE);
    if (depth > MAX_DEPTH) throw new MichelsonError(temporary("michelson_v1.unparsing_stack_overflow"));
    if (isSequence(node)) return withItems(node, (item) => write(item, depth + 1));
    if (!isPrim(node) || !node.args) return node;
    const { prim, args } = node;
    const isPush = prim === "PUSH" && args.length === 2;
    const written = withItems(args, (arg, i) =>
      !isPush ? write(arg, depth + 1) : i === 0 ? arg : rewriteDatum(args[0]!, arg),
    );
    return written === args ? node : { ...node, args: written };
  };
  const rewriteDatum = (typeNode: Micheline, datum: Micheline): Micheline => {
    const known = rewritten.get(datum)?.[form];
    if (known?.type === typeNode) {
      meter.spend(known.cost);
      return known.written;
    }
    const before = meter.used;
    const fresh = rewriteDatumAnew(typeNode, datum);
    const written = isSame(fresh, datum) ? datum : fresh;
    const entry = { type: typeNode, written, cost: meter.used - before };
    rewritten.set(datum, { ...rewritten.get(datum), [form]: entry });
    return written;
  };
  const rewriteDatumAnew = (typeNode: Micheline, datum: Micheline): Micheline => {
    const pushed = parseType(typeNode, { rules: TYPE_RULES.packable, gas: meter });
    const value = parseValue(pushed, datum, {
      gas: meter,
      compileLambda: (argument, result, inner, recursive) =>
        checkLambda(argument, result, inner, recursive, meter),
      hasEntrypoint: () => false,
      bigMapTypes: () => undefined,
      allowTickets: false,
      allowBigMapIds: false,
    });
    return writeValue(pushed, value, form, meter);
  };
  return write(code, 1);
}

interface Rewritten {
  readonly type: Micheline;
  readonly written: Micheline;
  /** Milligas. */
  readonly cost: number;
}

/** By datum: APPLY puts lambdas into lambdas, and all of them are written again each time. */
const rewritten = new WeakMap<object, { readonly [form in Form]?: Rewritten }>();

/** Items as `change` makes them; the same list when it changes none, so that what is known of it stays known. */
function withItems(
  items: readonly Micheline[],
  change: (item: Micheline, i: number) => Micheline,
): readonly Micheline[] {
  let changed = false;
  const written = items.map((item, i) => {
    const made = change(item, i);
    if (made !== item) changed = true;
    return made;
  });
  return changed ? written : items;
}

/** Whether two expressions are written alike. Parts that are one are not looked at. */
function isSame(a: Micheline, b: Micheline): boolean {
  if (a === b) return true;
  if (isSequence(a) || isSequence(b))
    return (
      isSequence(a) && isSequence(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i]!))
    );
  if (!isPrim(a) || !isPrim(b)) return !isPrim(a) && !isPrim(b) && JSON.stringify(a) === JSON.stringify(b);
  if (a.prim !== b.prim || a.annots?.length || b.annots?.length) return false;
  return isSame(a.args ?? [], b.args ?? []);
}
