// Control flow: branches, loops, lambdas, failure.
import type { Micheline } from "../micheline.ts";
import { MichelsonError, ScriptRejected, permanent } from "../michelson-error.ts";
import {
  type Checked,
  type Instruction,
  type Instructions,
  type Scope,
  type StackType,
  type Step,
  argumentsOf,
  badStack,
  smallNatural,
} from "../instruction.ts";
import {
  type Type,
  isPackable,
  isPushable,
  parseType,
  plainType,
  sameType,
  type,
  unparseType,
} from "../type.ts";
import {
  type LambdaValue,
  type ListValue,
  type MapValue,
  type OptionValue,
  type OrValue,
  type SetValue,
  type Value,
  itemsOf,
  listOf,
  pair,
  some,
} from "../value.ts";
import { unparseValue } from "../unparse-value.ts";

/** Both branches must leave the same stack, unless one of them fails. */
function join(node: Micheline, a: Checked, b: Checked, scope: Scope): StackType | undefined {
  if (!a.after) return b.after;
  if (b.after && !sameStack(a.after, b.after)) {
    throw new MichelsonError(
      permanent("michelson_v1.unmatched_branches", {
        location: scope.location(node),
        first_stack_type: a.after.map(unparseType),
        other_stack_type: b.after.map(unparseType),
      }),
    );
  }
  return a.after;
}

function sameStack(a: StackType, b: StackType): boolean {
  return a.length === b.length && a.every((t, i) => sameType(t, b[i]!));
}

/** Body of a loop: must come back to the given stack (or fail). */
function body(node: Micheline, code: Micheline, before: StackType, expected: StackType, scope: Scope): Step {
  const checked = scope.check(code, before, scope);
  if (checked.after && !sameStack(checked.after, expected)) {
    throw new MichelsonError(
      permanent("michelson_v1.inconsistent_stack_lengths", {
        location: scope.location(node),
        found: checked.after.map(unparseType),
        expected: expected.map(unparseType),
      }),
    );
  }
  return checked.step;
}

const ifBool: Instruction = (node, stack, scope) => {
  const [yes, no] = argumentsOf(node, 2, scope);
  const [top, ...rest] = stack;
  if (top?.prim !== "bool") throw badStack(node, stack, scope);
  const then = scope.check(yes!, rest, scope);
  const otherwise = scope.check(no!, rest, scope);
  return {
    after: join(node, then, otherwise, scope),
    step: (frame, s) => (s.pop() === true ? then.step : otherwise.step)(frame, s),
  };
};

const ifNone: Instruction = (node, stack, scope) => {
  const [none, present] = argumentsOf(node, 2, scope);
  const [top, ...rest] = stack;
  if (top?.prim !== "option") throw badStack(node, stack, scope);
  const empty = scope.check(none!, rest, scope);
  const full = scope.check(present!, [top.args[0]!, ...rest], scope);
  return {
    after: join(node, empty, full, scope),
    step: (frame, s) => {
      const inner = (s.pop() as OptionValue).some;
      if (inner === undefined) return empty.step(frame, s);
      s.push(inner);
      full.step(frame, s);
    },
  };
};

const ifLeft: Instruction = (node, stack, scope) => {
  const [whenLeft, whenRight] = argumentsOf(node, 2, scope);
  const [top, ...rest] = stack;
  if (top?.prim !== "or") throw badStack(node, stack, scope);
  const left = scope.check(whenLeft!, [top.args[0]!, ...rest], scope);
  const right = scope.check(whenRight!, [top.args[1]!, ...rest], scope);
  return {
    after: join(node, left, right, scope),
    step: (frame, s) => {
      const { isLeft, value } = s.pop() as OrValue;
      s.push(value);
      (isLeft ? left : right).step(frame, s);
    },
  };
};

const ifCons: Instruction = (node, stack, scope) => {
  const [whenFull, whenEmpty] = argumentsOf(node, 2, scope);
  const [top, ...rest] = stack;
  if (top?.prim !== "list") throw badStack(node, stack, scope);
  const full = scope.check(whenFull!, [top.args[0]!, top, ...rest], scope);
  const empty = scope.check(whenEmpty!, rest, scope);
  return {
    after: join(node, full, empty, scope),
    step: (frame, s) => {
      const list = s.pop() as ListValue;
      if (list.size === 0) return empty.step(frame, s);
      s.push(list.tail!, list.head!);
      full.step(frame, s);
    },
  };
};

const dip: Instruction = (node, stack, scope) => {
  const args = node.args ?? [];
  const depth = args.length === 2 ? smallNatural(node, args[0], 1, scope) : 1;
  const code = args[args.length === 2 ? 1 : 0];
  if (!code || args.length > 2) throw badStack(node, stack, scope);
  if (stack.length < depth) throw badStack(node, stack, scope);
  const inner = scope.check(code, stack.slice(depth), scope);
  if (!inner.after)
    throw new MichelsonError(
      permanent("michelson_v1.fail_not_in_tail_position", { location: scope.location(node) }),
    );
  const after = [...stack.slice(0, depth), ...inner.after];
  if (depth === 1) {
    return {
      after,
      step: (frame, s) => {
        const top = s.pop()!;
        inner.step(frame, s);
        s.push(top);
      },
    };
  }
  return {
    after,
    step: (frame, s) => {
      const kept = s.splice(s.length - depth, depth);
      inner.step(frame, s);
      s.push(...kept);
    },
  };
};

const loop: Instruction = (node, stack, scope) => {
  const [code] = argumentsOf(node, 1, scope);
  const [top, ...rest] = stack;
  if (top?.prim !== "bool") throw badStack(node, stack, scope);
  const step = body(node, code!, rest, stack, scope);
  return {
    after: rest,
    step: (frame, s) => {
      while (s.pop() === true) {
        frame.gas.spend(100);
        step(frame, s);
      }
    },
  };
};

const loopLeft: Instruction = (node, stack, scope) => {
  const [code] = argumentsOf(node, 1, scope);
  const [top, ...rest] = stack;
  if (top?.prim !== "or") throw badStack(node, stack, scope);
  const step = body(node, code!, [top.args[0]!, ...rest], stack, scope);
  return {
    after: [top.args[1]!, ...rest],
    step: (frame, s) => {
      for (;;) {
        frame.gas.spend(100);
        const { isLeft, value } = s.pop() as OrValue;
        s.push(value);
        if (!isLeft) return;
        step(frame, s);
      }
    },
  };
};

/** Elements of a list, set or map as ITER and MAP hand them out. */
function elementsOf(
  t: Type,
): { readonly element: Type; readonly read: (value: Value) => readonly Value[] } | undefined {
  switch (t.prim) {
    case "list":
      return { element: t.args[0]!, read: (value) => itemsOf(value as ListValue) };
    case "set":
      return { element: t.args[0]!, read: (value) => (value as SetValue).items };
    case "map":
      return {
        element: type("pair", t.args[0]!, t.args[1]!),
        read: (value) => {
          const { keys, values } = value as MapValue;
          return keys.map((key, i) => pair(key, values[i]!));
        },
      };
    default:
      return undefined;
  }
}

const iter: Instruction = (node, stack, scope) => {
  const [code] = argumentsOf(node, 1, scope);
  const [top, ...rest] = stack;
  const elements = top && elementsOf(top);
  if (!elements) throw badStack(node, stack, scope);
  const step = body(node, code!, [elements.element, ...rest], rest, scope);
  return {
    after: rest,
    step: (frame, s) => {
      for (const item of elements.read(s.pop()!)) {
        frame.gas.spend(100);
        s.push(item);
        step(frame, s);
      }
    },
  };
};

const map: Instruction = (node, stack, scope) => {
  const [code] = argumentsOf(node, 1, scope);
  const [top, ...rest] = stack;
  if (!top || (top.prim !== "list" && top.prim !== "map" && top.prim !== "option"))
    throw badStack(node, stack, scope);
  const element = top.prim === "option" ? top.args[0]! : elementsOf(top)!.element;
  const checked = scope.check(code!, [element, ...rest], scope);
  const [result, ...below] = checked.after ?? [];
  if (!result || !sameStack(below, rest)) throw badStack(node, stack, scope);
  const one = (frame: Parameters<Step>[0], s: Value[], item: Value): Value => {
    frame.gas.spend(100);
    s.push(item);
    checked.step(frame, s);
    return s.pop()!;
  };
  if (top.prim === "option") {
    return {
      after: [type("option", result), ...rest],
      step: (frame, s) => {
        const option = s.pop() as OptionValue;
        s.push(option.some === undefined ? option : some(one(frame, s, option.some)));
      },
    };
  }
  const read = elementsOf(top)!.read;
  const after = [top.prim === "list" ? type("list", result) : type("map", top.args[0]!, result), ...rest];
  return {
    after,
    step: (frame, s) => {
      const collection = s.pop()!;
      const results = read(collection).map((item) => one(frame, s, item));
      s.push(
        top.prim === "list" ? listOf(results) : { keys: (collection as MapValue).keys, values: results },
      );
    },
  };
};

const lambda =
  (recursive: boolean): Instruction =>
  (node, stack, scope) => {
    const [from, to, code] = argumentsOf(node, 3, scope);
    const [argument, result] = [parseType(from!), parseType(to!)];
    const value = scope.lambda(argument, result, code!, recursive);
    return { after: [type("lambda", argument, result), ...stack], step: (_, s) => void s.push(value) };
  };

const exec: Instruction = (node, stack, scope) => {
  const [argument, target, ...rest] = stack;
  if (!argument || target?.prim !== "lambda" || !sameType(argument, target.args[0]!))
    throw badStack(node, stack, scope);
  return {
    after: [target.args[1]!, ...rest],
    step: (frame, s) => {
      const value = s.pop()!;
      frame.gas.spend(100);
      s.push((s.pop() as LambdaValue).run(frame as never, value));
    },
  };
};

const apply: Instruction = (node, stack, scope) => {
  const [captured, target, ...rest] = stack;
  if (!captured || target?.prim !== "lambda") throw badStack(node, stack, scope);
  const [argument, result] = target.args as [Type, Type];
  if (argument.prim !== "pair" || !sameType(argument.args[0]!, captured) || !isPushable(captured))
    throw badStack(node, stack, scope);
  const remaining = argument.args[1]!;
  return {
    after: [type("lambda", remaining, result), ...rest],
    step: (_, s) => {
      const value = s.pop()!;
      const inner = s.pop() as LambdaValue;
      s.push(partialLambda(inner, captured, argument, result, value));
    },
  };
};

/** The lambda that APPLY makes, with the code that stands for it when it is packed or stored. */
function partialLambda(
  inner: LambdaValue,
  captured: Type,
  argument: Type,
  result: Type,
  value: Value,
): LambdaValue {
  const bind: readonly Micheline[] = [
    { prim: "PUSH", args: [plainType(captured), unparseValue(captured, value, "optimized")] },
    { prim: "PAIR" },
  ];
  const tail: readonly Micheline[] = inner.recursive
    ? [
        { prim: "LAMBDA_REC", args: [plainType(argument), plainType(result), inner.code] },
        { prim: "SWAP" },
        { prim: "EXEC" },
      ]
    : [inner.code];
  return {
    code: [...bind, ...tail],
    recursive: false,
    run: (frame, rest) => inner.run(frame, pair(value, rest)),
  };
}

const failwith: Instruction = (node, stack, scope) => {
  const [top] = stack;
  if (!top || !isPackable(top)) throw badStack(node, stack, scope);
  const location = scope.location(node);
  return {
    after: undefined,
    step: (_, s) => {
      throw new ScriptRejected(location, unparseValue(top, s[s.length - 1]!, "optimized"));
    },
  };
};

const never: Instruction = (node, stack, scope) => {
  if (stack[0]?.prim !== "never") throw badStack(node, stack, scope);
  return { after: undefined, step: () => {} };
};

export const CONTROL_INSTRUCTIONS: Instructions = {
  IF: ifBool,
  IF_NONE: ifNone,
  IF_LEFT: ifLeft,
  IF_CONS: ifCons,
  DIP: dip,
  LOOP: loop,
  LOOP_LEFT: loopLeft,
  ITER: iter,
  MAP: map,
  LAMBDA: lambda(false),
  LAMBDA_REC: lambda(true),
  EXEC: exec,
  APPLY: apply,
  FAILWITH: failwith,
  NEVER: never,
};
