// A contract's script: parameter, storage, code and views, checked and ready to run.
import { checkCode, checkLambda } from "./check.ts";
import { type Entrypoint, entrypointsOf } from "./entrypoints.ts";
import type { Code, Scope } from "./instruction.ts";
import { type Micheline, isPrim, isSequence } from "../../tezos/micheline.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";
import {
  OPERATION,
  type Type,
  isPassable,
  isStorable,
  isViewable,
  parseType,
  type,
  unparseType,
} from "./type.ts";
import { StackType } from "./stack-type.ts";
import type { LambdaValue } from "./value.ts";

export interface View {
  readonly input: Type;
  readonly output: Type;
  readonly run: Code;
}

export interface Script {
  readonly code: Micheline;
  readonly parameter: Type;
  readonly storage: Type;
  readonly entrypoints: ReadonlyMap<string, Entrypoint>;
  readonly views: ReadonlyMap<string, View>;
  /** The code as it runs. */
  readonly run: Code;
  /** Bytes of the code, part of the storage that its owner pays for. */
  readonly size: number;
}

/** Numbers the nodes of an expression in preorder, as errors name them. */
function numberNodes(root: Micheline): (node: Micheline) => number {
  let numbers: Map<Micheline, number> | undefined;
  return (node) => {
    if (!numbers) {
      numbers = new Map();
      let next = 0;
      const visit = (current: Micheline): void => {
        numbers!.set(current, next++);
        const children = isSequence(current) ? current : isPrim(current) ? (current.args ?? []) : [];
        children.forEach(visit);
      };
      visit(root);
    }
    return numbers.get(node) ?? 0;
  };
}

/** Scope for code outside of any contract: lambdas of arguments, RUN_CODE pieces. */
export function looseScope(root: Micheline): Scope {
  const location = numberNodes(root);
  const scope: Scope = {
    parameter: undefined,
    isView: false,
    check: checkCode,
    lambda: (argument, result, code, recursive): LambdaValue =>
      checkLambda(argument, result, code, recursive, scope),
    script: (code) => parseScript(code),
    location,
  };
  return scope;
}

interface Parts {
  readonly parameter: Micheline;
  readonly parameterName: string | undefined;
  readonly storage: Micheline;
  readonly code: Micheline;
  readonly views: readonly (readonly Micheline[])[];
}

function splitScript(code: Micheline): Parts {
  if (!isSequence(code))
    throw new MichelsonError(
      permanent("michelson_v1.invalid_expression_kind", {
        location: 0,
        expected_kinds: ["sequence"],
        wrong_kind: "other",
      }),
    );
  const fields = new Map<string, Micheline>();
  const views: (readonly Micheline[])[] = [];
  let parameterName: string | undefined;
  for (const section of code) {
    if (!isPrim(section))
      throw new MichelsonError(
        permanent("michelson_v1.invalid_expression_kind", {
          location: 0,
          expected_kinds: ["primitiveApplication"],
          wrong_kind: "other",
        }),
      );
    const args = section.args ?? [];
    if (section.prim === "view" && args.length === 4) {
      views.push(args);
    } else if (["parameter", "storage", "code"].includes(section.prim) && args.length === 1) {
      if (fields.has(section.prim))
        throw new MichelsonError(
          permanent("michelson_v1.duplicate_script_field", { loc: 0, prim: section.prim }),
        );
      fields.set(section.prim, args[0]!);
      if (section.prim === "parameter")
        parameterName = section.annots?.find((a) => a.startsWith("%"))?.slice(1);
    } else {
      throw new MichelsonError(
        permanent("michelson_v1.invalid_primitive", {
          location: 0,
          expected_primitive_names: ["parameter", "storage", "code", "view"],
          wrong_primitive_name: section.prim,
        }),
      );
    }
  }
  for (const field of ["parameter", "storage", "code"]) {
    if (!fields.has(field))
      throw new MichelsonError(permanent("michelson_v1.missing_script_field", { prim: field }));
  }
  return {
    parameter: fields.get("parameter")!,
    parameterName,
    storage: fields.get("storage")!,
    code: fields.get("code")!,
    views,
  };
}

/** Scripts already checked, by their node: the same code comes back for every call of a contract. */
const checked = new WeakMap<object, Script>();

/** Checks a script. @throws MichelsonError when it is ill-typed or uses something unsupported. */
export function parseScript(code: Micheline): Script {
  const known = checked.get(code as object);
  if (known) return known;
  try {
    const script = checkScript(code);
    checked.set(code as object, script);
    return script;
  } catch (error) {
    if (!(error instanceof MichelsonError)) throw error;
    throw new MichelsonError(
      permanent("michelson_v1.ill_typed_contract", { ill_typed_code: code, type_map: [] }),
      ...error.errors,
    );
  }
}

function checkScript(code: Micheline): Script {
  const parts = splitScript(code);
  const rootType = parseType(parts.parameter);
  const parameter =
    parts.parameterName === undefined
      ? rootType
      : { ...rootType, field: rootType.field ?? parts.parameterName };
  const storage = parseType(parts.storage);
  if (!isPassable(parameter)) throw unexpected(parameter);
  if (!isStorable(storage)) throw unexpected(storage);
  const scope: Scope = { ...looseScope(code), parameter };
  const main = checkCode(parts.code, StackType.of(type("pair", parameter, storage)), scope);
  const expected = type("pair", type("list", OPERATION), storage);
  if (main.after && !main.after.equals(StackType.of(expected))) {
    throw new MichelsonError(
      permanent("michelson_v1.bad_return", {
        location: 0,
        expected_return_type: unparseType(expected),
        wrong_stack_type: main.after.head(8).map(unparseType),
      }),
    );
  }
  const views = new Map(parts.views.map((view) => checkView(view, storage, scope)));
  return {
    code,
    parameter,
    storage,
    entrypoints: entrypointsOf(parameter),
    views,
    run: main.code,
    size: encodeMicheline(code).length,
  };
}

function checkView(
  [name, input, output, code]: readonly Micheline[],
  storage: Type,
  scope: Scope,
): [string, View] {
  if (!name || Array.isArray(name) || !("string" in name) || !/^[a-zA-Z0-9_.%@]{0,31}$/.test(name.string)) {
    throw new MichelsonError(permanent("michelson_v1.view_name_invalid", { location: 0 }));
  }
  const [inputType, outputType] = [parseType(input!), parseType(output!)];
  if (!isViewable(inputType) || !isViewable(outputType)) throw unexpected(outputType);
  const view = checkCode(code!, StackType.of(type("pair", inputType, storage)), {
    ...scope,
    parameter: undefined,
    isView: true,
  });
  if (view.after && !view.after.equals(StackType.of(outputType))) {
    throw new MichelsonError(
      permanent("michelson_v1.ill_typed_view", {
        location: 0,
        expected_view_stack_type: [unparseType(outputType)],
        resulting_view_stack_type: view.after.head(8).map(unparseType),
      }),
    );
  }
  return [name.string, { input: inputType, output: outputType, run: view.code }];
}

const unexpected = (t: Type): MichelsonError =>
  new MichelsonError(permanent("michelson_v1.unexpected_type", { location: 0, type: unparseType(t) }));
