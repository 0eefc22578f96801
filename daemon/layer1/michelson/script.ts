// A contract's script: parameter, storage, code and views, checked and ready to run.
// Source of the order in which its sections are checked and charged: Octez, `parse_toplevel` and `parse_code`.
import { encodedLength } from "../../tezos/micheline-binary.ts";
import { countNodes, isPrim, isSequence, type Micheline } from "../../tezos/micheline.ts";
import { type Job, finish } from "../job.ts";
import { MEASURE_NODE, expandCost } from "./check-costs.ts";
import { checkCode, checkLambda } from "./check.ts";
import { updateCost } from "./costs.ts";
import { type Entrypoint, checkEntrypoints, entrypointsOf } from "./entrypoints.ts";
import { type GasMeter, noGasLimit } from "./gas.ts";
import { type Code, type Scope, type TypeLog, inconsistentTypes, isSame, typeIn } from "./instruction.ts";
import { KeptScripts } from "./kept-scripts.ts";
import { expressionNodes, lambdaNodes } from "./measure.ts";
import {
  MichelsonError,
  type ProtocolErrorFields,
  permanent,
  traceErrors,
  traceJobErrors,
} from "./michelson-error.ts";
import { TYPE_RULES, type TypeRules } from "./parse-type.ts";
import { type ScriptSections, splitScript, type ViewParts } from "./script-sections.ts";
import { StackType } from "./stack-type.ts";
import { OPERATION, type Type, plainType, type } from "./type.ts";
import type { LambdaValue } from "./value.ts";

export interface View {
  readonly code: Micheline;
  readonly input: Type;
  readonly output: Type;
  readonly run: Code;
  /** Milligas of checking it, charged by each VIEW. */
  readonly checkCost: number;
}

export interface Script {
  readonly code: Micheline;
  readonly parameter: Type;
  readonly storage: Type;
  readonly entrypoints: ReadonlyMap<string, Entrypoint>;
  readonly views: ReadonlyMap<string, View>;
  /** The compiled code. */
  readonly run: Code;
  /** Bytes of the code with its length prefix; they count towards the contract's paid storage. */
  readonly size: number;
  /** Nodes of the checked code, as counted by the protocol. */
  readonly nodes: number;
  /** Milligas of checking parameter, storage and code; and of checking the views, as an origination does. */
  readonly checkCost: number;
  readonly viewsCost: number;
}

/** Numbers the nodes of an expression in preorder, the locations that errors use. */
function numberNodes(root: Micheline): (node: Micheline) => number {
  let numbers: Map<Micheline, number> | undefined;
  return (node) => {
    if (!numbers) {
      numbers = new Map();
      const pending: Micheline[] = [root];
      let next = 0;
      for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
        numbers.set(current, next++);
        const children = isSequence(current) ? current : isPrim(current) ? (current.args ?? []) : [];
        for (let i = children.length - 1; i >= 0; i--) pending.push(children[i]!);
      }
    }
    return numbers.get(node) ?? 0;
  };
}

/** Scope for code outside of any contract: lambdas of arguments and in code that is run apart. */
export function looseScope(
  root: Micheline,
  gas: GasMeter = noGasLimit(),
  legacy = false,
  isTraced = false,
): Scope {
  return {
    gas,
    legacy,
    isTraced,
    place: "data",
    parameter: undefined,
    inLambda: false,
    isStandalone: true,
    check: checkCode,
    lambda: checkLambda,
    script: (code, scope) => checkInner(code, scope),
    location: numberNodes(root),
  };
}

/** Checks a lambda in data. @throws MichelsonError */
export const lambdaInData = (
  argument: Type,
  result: Type,
  code: Micheline,
  recursive: boolean,
  gas: GasMeter,
  legacy = false,
  isTraced = false,
): Job<LambdaValue> =>
  checkLambda(argument, result, code, recursive, {
    ...looseScope(code, gas, legacy, isTraced),
    inLambda: recursive,
  });

/** How to read a script. */
export interface ScriptReading {
  /** Whether it is stored on the chain already and may use deprecated features. Default true. */
  readonly legacy?: boolean;
  /** Whether the search for constants in it has been charged. Default false. */
  readonly isExpanded?: boolean;
  /** Whether its run is to be traced. Default false. */
  readonly isTraced?: boolean;
}

/** Scripts of the chain that were checked already. */
const checkedScripts = new KeptScripts<Script>();

/** Checks a script in one go: one that was checked before, or is the node's own. @throws MichelsonError as {@link checkedScript} */
export function parseScript(code: Micheline, gas?: GasMeter, reading: ScriptReading = {}): Script {
  return finish(checkedScript(code, gas, reading));
}

/**
 * Checks a script, charging `gas` even when the result is cached. Scripts already stored on the chain may use deprecated
 * features, and their views are not charged again.
 * @throws MichelsonError when it is ill-typed or uses something unsupported, or gas does not suffice
 */
export function* checkedScript(
  code: Micheline,
  gas?: GasMeter,
  { legacy = true, isExpanded = false, isTraced = false }: ScriptReading = {},
): Job<Script> {
  const known = isTraced ? undefined : checkedScripts.get(code);
  // Where gas does not suffice, the check itself says where it ends.
  if (known && (!gas || gas.left >= known.checkCost)) {
    gas?.spend(known.checkCost);
    return known;
  }
  const scope = looseScope(code, gas ?? noGasLimit(), legacy, isTraced);
  const script = yield* checkScript(code, scope, isExpanded);
  // A script that is expanded or traced was sent with a request, and is not expected again.
  if (legacy && !isExpanded && !isTraced) checkedScripts.set(code, script);
  return script;
}

/** Checks a script whose constants are in their places, views included, and tells `log` of types. @throws MichelsonError */
export function* typecheckScript(code: Micheline, gas: GasMeter, legacy: boolean, log?: TypeLog): Job<void> {
  const body = yield* checkBody(code, { ...looseScope(code, gas, legacy), ...(log && { log }) });
  yield* checkViews(code, body);
}

/** By script: the type of its storage. */
const storages = new WeakMap<object, Type>();

/** The type of the storage of a script of the chain alone, which is what reading the storage needs. */
export function parseStorageType(code: Micheline): Type {
  let known = storages.get(code);
  if (!known) {
    const scope = looseScope(code, noGasLimit(), true);
    known = readType(splitScript(code, scope).storage, TYPE_RULES.storage, "storage", code, scope);
    storages.set(code, known);
  }
  return known;
}

/** By script: its parameter, and milligas of reading that alone. */
const parameters = new WeakMap<object, { readonly type: Type; readonly cost: number }>();

/** Only the parameter of a script, which is all that CONTRACT needs. */
export function parseParameter(code: Micheline, gas?: GasMeter): Type {
  let cached = parameters.get(code);
  if (!cached) {
    const meter = noGasLimit();
    const scope = looseScope(code, meter, true);
    const parameter = splitScript(code, scope).parameter;
    cached = {
      type: readType(parameter, TYPE_RULES.parameter, "parameter", code, scope),
      cost: meter.used,
    };
    parameters.set(code, cached);
  }
  gas?.spend(cached.cost);
  return cached.type;
}

/** Runs what may find a script ill-typed, or for which gas does not suffice. */
const withCode = <T>(code: Micheline, job: Job<T>): Job<T> => traceJobErrors(() => illTyped(code), job);

const illTyped = (code: Micheline): ProtocolErrorFields =>
  permanent("michelson_v1.ill_typed_contract", { ill_typed_code: code, type_map: [] });

/** A type in a section of a script. @throws MichelsonError ill_formed_type and its cause */
function readType(
  node: Micheline,
  rules: TypeRules,
  identifier: string,
  shown: Micheline,
  scope: Scope,
): Type {
  const illFormed = (): ProtocolErrorFields =>
    permanent("michelson_v1.ill_formed_type", {
      identifier,
      ill_formed_expression: shown,
      location: scope.location(node),
    });
  return traceErrors(illFormed, () => {
    const t = typeIn(node, rules, scope);
    if (rules.entrypoints && !scope.legacy) checkEntrypoints(t);
    return t;
  });
}

interface Body {
  readonly parts: ScriptSections;
  readonly scope: Scope;
  readonly parameter: Type;
  readonly storage: Type;
  readonly run: LambdaValue;
}

/** Checks parameter, storage and code. */
function* checkBody(code: Micheline, outer: Scope): Job<Body> {
  const parts = traceErrors(
    () => illTyped(code),
    () => splitScript(code, outer),
  );
  const parameter = readType(parts.parameter, TYPE_RULES.parameter, "parameter", code, outer);
  const storage = readType(parts.storage, TYPE_RULES.storage, "storage", code, outer);
  const scope: Scope = { ...outer, place: "contract", parameter, inLambda: false, isStandalone: false };
  const result = type("pair", type("list", OPERATION), storage);
  const argument = type("pair", parameter, storage);
  const run = yield* withCode(code, checkLambda(argument, result, parts.code, false, scope));
  return { parts, scope, parameter, storage, run };
}

function* checkViews(code: Micheline, { parts, scope, storage }: Body): Job<ReadonlyMap<string, View>> {
  const views = new Map<string, View>();
  const byName = [...parts.views].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, view] of byName) {
    scope.gas.spend(updateCost(name.length, parts.views.size));
    views.set(name, yield* withCode(code, checkView(view, storage, scope)));
  }
  return views;
}

/** A script within another's CREATE_CONTRACT. Its nodes have numbers of their own. */
function* checkInner(
  code: Micheline,
  outer: Scope,
): Job<{ readonly parameter: Type; readonly storage: Type }> {
  const location = (node: Micheline): number => outer.location(node) - outer.location(code);
  const body = yield* checkBody(code, { ...outer, location });
  yield* checkViews(code, body);
  return body;
}

function* checkScript(code: Micheline, outer: Scope, isExpanded: boolean): Job<Script> {
  const { gas, legacy } = outer;
  const before = gas.used;
  if (!isExpanded) gas.spend(expandCost(countNodes(code)));
  const body = yield* checkBody(code, outer);
  const { parts, parameter, storage, run } = body;
  let nodes = lambdaNodes(run) + expressionNodes(parts.code);
  for (const [, input, output, view] of parts.views.values())
    nodes += expressionNodes(view) + expressionNodes(input) + expressionNodes(output);
  gas.spend(MEASURE_NODE * nodes);
  const checkCost = gas.used - before;
  // Views are charged when they are called and at origination. Here they are free.
  const apart = legacy ? noGasLimit() : gas;
  const start = apart.used;
  const views = yield* checkViews(code, { ...body, scope: { ...body.scope, gas: apart } });
  return {
    code,
    parameter,
    storage,
    entrypoints: entrypointsOf(parameter),
    views,
    run: run.body!,
    size: 4 + encodedLength(code),
    nodes,
    checkCost,
    viewsCost: apart.used - start,
  };
}

function* checkView([, input, output, code]: ViewParts, storage: Type, outer: Scope): Job<View> {
  const { gas } = outer;
  const before = gas.used;
  const inputType = readType(input, TYPE_RULES.view, "arg of view", input, outer);
  const outputType = readType(output, TYPE_RULES.view, "return of view", output, outer);
  const scope: Scope = {
    ...outer,
    place: "view",
    parameter: undefined,
    inLambda: false,
    isStandalone: false,
  };
  const view = yield* checkCode(code, StackType.of(type("pair", inputType, storage)), scope);
  if (view.after) requireViewResult(view.after, outputType, code, scope);
  return { code: code, input: inputType, output: outputType, run: view.code, checkCost: gas.used - before };
}

function requireViewResult(after: StackType, output: Type, code: Micheline, scope: Scope): void {
  const loc = scope.location(code);
  if (after.size === 1 && isSame(after.top!, output, scope)) return;
  throw new MichelsonError(
    permanent("michelson_v1.ill_typed_view", {
      loc,
      resulted_view_stack: after.shownInErrors(),
      expected_view_stack: [plainType(output)],
    }),
    ...(after.size === 1 ? inconsistentTypes(after.top!, output, loc).errors : []),
  );
}
