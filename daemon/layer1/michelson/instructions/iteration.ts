// ITER and MAP.
import {
  CONTROL,
  FIXED,
  LIST_MAP_ENTER,
  iterTreeCost,
  keySize,
  listMapEndCost,
  mapEnterCost,
  mapTreeCost,
  updateCost,
} from "../costs.ts";
import {
  type Checked,
  type CheckedCode,
  type Instruction,
  type Instructions,
  argumentsOf,
  badStack,
  does,
  requireSequence,
} from "../instruction.ts";
import type { Waiting } from "../machine.ts";
import { MichelsonError, permanent } from "../michelson-error.ts";
import { type OrderedTree, fromSorted, inOrder, sizeOf } from "../ordered-tree.ts";
import { requireSameStack } from "../stack-rules.ts";
import type { StackType } from "../stack-type.ts";
import { type Type, plainType, type } from "../type.ts";
import {
  type ListValue,
  type MapValue,
  NIL,
  type OptionValue,
  type SetValue,
  type Value,
  cons,
  pair,
  some,
} from "../value.ts";

/** Elements of a list, set or map as ITER hands them out, one after the other. */
interface Elements {
  readonly element: Type;
  /** Gas for making ready to hand them out. */
  readonly cost: (value: Value) => number;
  readonly read: (value: Value) => Iterator<Value>;
}

function* listElements(list: ListValue): Generator<Value, void> {
  for (let cell: ListValue | undefined = list; cell && cell.size > 0; cell = cell.tail) yield cell.head!;
}

function* treeElements<V>(
  tree: OrderedTree<Value, V>,
  element: (key: Value, value: V) => Value,
): Generator<Value, void> {
  for (const { key, value } of inOrder(tree)) yield element(key, value);
}

function elementsOf(t: Type): Elements | undefined {
  switch (t.prim) {
    case "list":
      return {
        element: t.args[0]!,
        cost: () => FIXED.listElements,
        read: (value) => listElements(value as ListValue),
      };
    case "set":
      return {
        element: t.args[0]!,
        cost: (value) => iterTreeCost(sizeOf((value as SetValue).items)),
        read: (value) => treeElements((value as SetValue).items, (key) => key),
      };
    case "map":
      return {
        element: type("pair", t.args[0]!, t.args[1]!),
        cost: (value) => iterTreeCost(sizeOf((value as MapValue).entries)),
        read: (value) => treeElements((value as MapValue).entries, pair),
      };
    default:
      return undefined;
  }
}

const shown = (stack: StackType): readonly object[] => stack.head(8).map(plainType);

const iter: Instruction = (node, stack, scope) => {
  const [code] = argumentsOf(node, 1, scope);
  const { top } = stack;
  const elements = top && elementsOf(top);
  if (!elements) throw badStack(node, stack, scope);
  requireSequence(code!, scope);
  const rest = stack.drop(1);
  const place = scope.location(node);
  const body = scope.check(code!, rest.under(elements.element), scope, { at: () => place });
  if (body.after)
    requireSameStack(
      body.after,
      rest,
      scope,
      node,
      () =>
        new MichelsonError(
          permanent("michelson_v1.invalid_iter_body", {
            loc: place,
            bef_stack: shown(rest),
            aft_stack: shown(body.after!),
          }),
        ),
    );
  return does(
    rest,
    (m, s) => {
      const collection = s.pop()!;
      m.gas.spend(elements.cost(collection));
      const items = elements.read(collection);
      const round: Waiting = {
        cost: CONTROL.iterate,
        resume: (_, below) => {
          const next = items.next();
          if (next.done) return false;
          below.push(next.value);
          m.wait(round);
          m.begin(body.code, place);
          return true;
        },
      };
      m.keep();
      m.wait(round);
      m.proceed();
    },
    body.nodes,
  );
};

const map: Instruction = (node, stack, scope) => {
  const [code] = argumentsOf(node, 1, scope);
  const { top } = stack;
  if (!top || (top.prim !== "list" && top.prim !== "map" && top.prim !== "option"))
    throw badStack(node, stack, scope);
  requireSequence(code!, scope);
  const element = top.prim === "map" ? type("pair", top.args[0]!, top.args[1]!) : top.args[0]!;
  const rest = stack.drop(1);
  const place = scope.location(node);
  const body = scope.check(code!, rest.under(element), scope, { at: () => place });
  const { after } = body;
  if (!after) throw new MichelsonError(permanent("michelson_v1.invalid_map_block_fail", { loc: place }));
  const refusal = (): MichelsonError =>
    new MichelsonError(permanent("michelson_v1.invalid_map_body", { loc: place, body_type: shown(after) }));
  const result = after.top;
  if (!result) throw refusal();
  requireSameStack(after.drop(1), rest, scope, node, refusal);
  switch (top.prim) {
    case "option":
      return mapOption(body, place, rest.under(type("option", result)));
    case "list":
      return mapList(body, place, rest.under(type("list", result)));
    default:
      return mapMap(top.args[0]!, body, place, rest.under(type("map", top.args[0]!, result)));
  }
};

const MAPPED: Waiting = {
  cost: CONTROL.optionMapped,
  resume: (_, s) => {
    s.push(some(s.pop()!));
    return false;
  },
};

function mapOption(body: CheckedCode, place: number, after: StackType): Checked {
  return does(
    after,
    (m, s) => {
      m.gas.spend(FIXED.step);
      const option = s.pop() as OptionValue;
      if (option.some === undefined) {
        s.push(option);
        return;
      }
      m.keep();
      m.wait(MAPPED);
      s.push(option.some);
      m.begin(body.code, place);
    },
    body.nodes,
  );
}

function mapList(body: CheckedCode, place: number, after: StackType): Checked {
  return does(
    after,
    (m, s) => {
      m.gas.spend(FIXED.listElements);
      const whole = s.pop() as ListValue;
      let rest: ListValue = whole;
      let results = NIL;
      const enter: Waiting = {
        get cost() {
          return rest.size > 0 ? LIST_MAP_ENTER : listMapEndCost(whole.size);
        },
        resume: (_, below) => {
          if (rest.size === 0) {
            below.push(reversed(results));
            return false;
          }
          below.push(rest.head!);
          rest = rest.tail!;
          m.wait(leave);
          m.begin(body.code, place);
          return true;
        },
      };
      const leave: Waiting = {
        cost: CONTROL.listElementMapped,
        resume: (_, below) => {
          m.gas.takeCells(2);
          results = cons(below.pop()!, results);
          m.wait(enter);
          return false;
        },
      };
      m.keep();
      m.wait(enter);
      m.proceed();
    },
    body.nodes,
  );
}

function reversed(list: ListValue): ListValue {
  let turned = NIL;
  for (let cell: ListValue | undefined = list; cell && cell.size > 0; cell = cell.tail)
    turned = cons(cell.head!, turned);
  return turned;
}

function mapMap(key: Type, body: CheckedCode, place: number, after: StackType): Checked {
  return does(
    after,
    (m, s) => {
      const { entries } = s.pop() as MapValue;
      m.gas.spend(mapTreeCost(sizeOf(entries)));
      const items = inOrder(entries);
      const results: [Value, Value][] = [];
      let current: Value;
      const enter: Waiting = {
        get cost() {
          return mapEnterCost(results.length);
        },
        resume: (_, below) => {
          const next = items.next();
          if (next.done) {
            below.push({ entries: fromSorted(results) } satisfies MapValue);
            return false;
          }
          current = next.value.key;
          below.push(pair(current, next.value.value));
          m.wait(leave);
          m.begin(body.code, place);
          return true;
        },
      };
      const leave: Waiting = {
        get cost() {
          return updateCost(keySize(key, current), results.length);
        },
        resume: (_, below) => {
          m.gas.takeCells(2);
          results.push([current, below.pop()!]);
          m.wait(enter);
          return false;
        },
      };
      m.keep();
      m.wait(enter);
      m.proceed();
    },
    body.nodes,
  );
}

export const ITERATION_INSTRUCTIONS: Instructions = { ITER: iter, MAP: map };
