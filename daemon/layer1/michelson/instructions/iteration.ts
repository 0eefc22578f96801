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
  type Code,
  type Instruction,
  type Instructions,
  argumentsOf,
  badStack,
  does,
  requireSequence,
  type Stack,
} from "../instruction.ts";
import type { Machine, Waiting } from "../machine.ts";
import { MichelsonError, permanent } from "../michelson-error.ts";
import { type OrderedTree, fromSorted, inOrder, sizeOf } from "../ordered-tree.ts";
import { requireSameStack } from "../stack-rules.ts";
import type { StackType } from "../stack-type.ts";
import { type Type, type } from "../type.ts";
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

/** The elements of a list, set or map in the order of ITER. */
interface Elements {
  readonly element: Type;
  /** Gas for preparing the iteration. */
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
        element: t.args[0],
        cost: () => FIXED.listElements,
        read: (value) => listElements(value as ListValue),
      };
    case "set":
      return {
        element: t.args[0],
        cost: (value) => iterTreeCost(sizeOf((value as SetValue).items)),
        read: (value) => treeElements((value as SetValue).items, (key) => key),
      };
    case "map":
      return {
        element: type("pair", t.args[0], t.args[1]),
        cost: (value) => iterTreeCost(sizeOf((value as MapValue).entries)),
        read: (value) => treeElements((value as MapValue).entries, pair),
      };
    default:
      return undefined;
  }
}

const iter: Instruction = function* (node, stack, scope) {
  const [code] = argumentsOf(node, 1, scope);
  const { top } = stack;
  const elements = top && elementsOf(top);
  if (!elements) throw badStack(node, stack, scope);
  requireSequence(code, scope);
  const rest = stack.drop(1);
  const place = scope.location(node);
  const body = yield* scope.check(code, rest.under(elements.element), scope, { at: () => place });
  if (scope.gas.isRestDue()) yield;
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
            bef_stack: rest.shownInErrors(),
            aft_stack: body.after!.shownInErrors(),
          }),
        ),
    );
  return does(
    rest,
    (m, s) => {
      const collection = s.pop();
      m.gas.spend(elements.cost(collection));
      const items = elements.read(collection);
      const round: Waiting = {
        cost: CONTROL.iterate,
        holds: [collection],
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

const map: Instruction = function* (node, stack, scope) {
  const [code] = argumentsOf(node, 1, scope);
  const { top } = stack;
  if (!top || (top.prim !== "list" && top.prim !== "map" && top.prim !== "option"))
    throw badStack(node, stack, scope);
  requireSequence(code, scope);
  const element = top.prim === "map" ? type("pair", top.args[0], top.args[1]) : top.args[0];
  const rest = stack.drop(1);
  const place = scope.location(node);
  const body = yield* scope.check(code, rest.under(element), scope, { at: () => place });
  if (scope.gas.isRestDue()) yield;
  const { after } = body;
  if (!after) throw new MichelsonError(permanent("michelson_v1.invalid_map_block_fail", { loc: place }));
  const refusal = (): MichelsonError =>
    new MichelsonError(
      permanent("michelson_v1.invalid_map_body", { loc: place, body_type: after.shownInErrors() }),
    );
  const result = after.top;
  if (!result) throw refusal();
  requireSameStack(after.drop(1), rest, scope, node, refusal);
  switch (top.prim) {
    case "option":
      return mapOption(body, place, rest.under(type("option", result)));
    case "list":
      return mapAll(
        body,
        place,
        rest.under(type("list", result)),
        () => FIXED.listElements,
        (list) => new ListMapping(list as ListValue),
      );
    default: {
      const [key] = top.args;
      return mapAll(
        body,
        place,
        rest.under(type("map", key, result)),
        (whole) => mapTreeCost(sizeOf((whole as MapValue).entries)),
        (whole) => mapMap(key, whole as MapValue),
      );
    }
  }
};

const MAPPED: Waiting = {
  cost: CONTROL.optionMapped,
  holds: [],
  resume: (_, s) => {
    s.push(some(s.pop()));
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

/** MAP over one list or map, element by element. */
interface Mapping {
  /** Milligas of fetching the next element, and of storing a result. */
  enterCost(): number;
  leaveCost(): number;
  /** The next element; undefined after the last. */
  next(): Value | undefined;
  take(result: Value): void;
  /** The results so far. */
  results(): unknown;
  whole(): Value;
}

/** @param cost gas for preparing the iteration */
function mapAll(
  body: CheckedCode,
  place: number,
  after: StackType,
  cost: (collection: Value) => number,
  mappingOf: (collection: Value) => Mapping,
): Checked {
  return does(
    after,
    (m, s) => {
      const collection = s.pop();
      m.gas.spend(cost(collection));
      const enter = new NextElement(body.code, place, collection, mappingOf(collection));
      m.keep();
      m.wait(enter);
      m.proceed();
    },
    body.nodes,
  );
}

/** Continuation that passes the next element to the body. A class, for one is created per mapped list. */
class NextElement implements Waiting {
  readonly #code: Code;
  readonly #place: number;
  readonly #collection: Value;
  readonly #mapping: Mapping;
  readonly #taken: Waiting;

  constructor(code: Code, place: number, collection: Value, mapping: Mapping) {
    this.#code = code;
    this.#place = place;
    this.#collection = collection;
    this.#mapping = mapping;
    this.#taken = new ResultOfBody(mapping, this);
  }

  get cost(): number {
    return this.#mapping.enterCost();
  }

  get holds(): readonly unknown[] {
    return [this.#collection, this.#mapping.results()];
  }

  resume(machine: Machine, stack: Stack): boolean {
    const next = this.#mapping.next();
    if (next === undefined) {
      stack.push(this.#mapping.whole());
      return false;
    }
    stack.push(next);
    machine.wait(this.#taken);
    machine.begin(this.#code, this.#place);
    return true;
  }
}

/** Continuation that collects the body's result for an element. */
class ResultOfBody implements Waiting {
  readonly #mapping: Mapping;
  readonly #next: Waiting;

  constructor(mapping: Mapping, next: Waiting) {
    this.#mapping = mapping;
    this.#next = next;
  }

  get cost(): number {
    return this.#mapping.leaveCost();
  }

  get holds(): readonly unknown[] {
    return this.#next.holds;
  }

  resume(machine: Machine, stack: Stack): boolean {
    machine.gas.reserveCells(2);
    this.#mapping.take(stack.pop());
    machine.wait(this.#next);
    return false;
  }
}

class ListMapping implements Mapping {
  readonly #size: number;
  #rest: ListValue;
  #results = NIL;

  constructor(list: ListValue) {
    this.#size = list.size;
    this.#rest = list;
  }

  enterCost(): number {
    return this.#rest.size > 0 ? LIST_MAP_ENTER : listMapEndCost(this.#size);
  }

  leaveCost(): number {
    return CONTROL.listElementMapped;
  }

  next(): Value | undefined {
    const { head, size, tail } = this.#rest;
    if (size > 0) this.#rest = tail!;
    return head;
  }

  take(result: Value): void {
    this.#results = cons(result, this.#results);
  }

  results(): unknown {
    return this.#results;
  }

  whole(): Value {
    return reverse(this.#results);
  }
}

function reverse(list: ListValue): ListValue {
  let turned = NIL;
  for (let cell: ListValue | undefined = list; cell && cell.size > 0; cell = cell.tail)
    turned = cons(cell.head!, turned);
  return turned;
}

function mapMap(key: Type, { entries }: MapValue): Mapping {
  const items = inOrder(entries);
  const results: [Value, Value][] = [];
  let current: Value;
  return {
    enterCost: () => mapEnterCost(results.length),
    leaveCost: () => updateCost(keySize(key, current), results.length),
    next() {
      const next = items.next();
      if (next.done) return undefined;
      current = next.value.key;
      return pair(current, next.value.value);
    },
    take: (result) => void results.push([current, result]),
    results: () => results,
    whole: () => ({ entries: fromSorted(results) }) satisfies MapValue,
  };
}

export const ITERATION_INSTRUCTIONS: Instructions = { ITER: iter, MAP: map };
