import { describe, expect, it } from "vitest";
import { sameTypeCost } from "./check-costs.ts";
import { GasMeter } from "./gas.ts";
import { StackType } from "./stack-type.ts";
import { INT, NAT, type Type, UNIT, type, typeSize } from "./type.ts";

const COUNT = 900;
const TYPES: readonly Type[] = [INT, NAT, UNIT, type("list", INT), type("pair", INT, type("option", NAT))];
const someTypes = (count: number): readonly Type[] =>
  Array.from({ length: count }, (_, i) => TYPES[(i * 7) % TYPES.length]!);
const typesOf = (stack: StackType): readonly Type[] => stack.head(stack.size);
const nodesOf = (types: readonly Type[]): number => types.reduce((sum, t) => sum + typeSize(t), 0);

/** A generator of numbers that are the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Nodes from the root to the place that is farthest from it. */
function heightOf(stack: StackType): number {
  if (stack.size === 0) return 0;
  const [above, , below] = stack.parts;
  return 1 + Math.max(heightOf(above), heightOf(below));
}

/** Nodes of a stack that another one does not have. */
function ownNodes(stack: StackType, other: StackType): number {
  const known = new Set<StackType>();
  const visit = (at: StackType, see: (node: StackType) => boolean): void => {
    if (at.size === 0 || !see(at)) return;
    const [above, , below] = at.parts;
    visit(above, see);
    visit(below, see);
  };
  visit(other, (node) => (known.add(node), true));
  let own = 0;
  visit(stack, (node) => {
    if (known.has(node)) return false;
    own++;
    return true;
  });
  return own;
}

const dug = (stack: StackType, depth: number): StackType =>
  stack
    .drop(depth + 1)
    .underStack(stack.take(depth))
    .under(stack.at(depth)!);

describe("a stack of types", () => {
  it.each([1, 2, 3])("is as a list is, whatever is done with it: %i", (seed) => {
    const next = numbers(seed);
    let stack = StackType.EMPTY;
    let list: readonly Type[] = [];
    for (let i = 0; i < 2_000; i++) {
      const count = next(list.length + 2);
      switch (next(5)) {
        case 0:
        case 1: {
          const pushed = someTypes(1 + next(20));
          [stack, list] = [stack.underAll(pushed), [...pushed, ...list]];
          break;
        }
        case 2:
          stack = stack.drop(next(8));
          list = list.slice(list.length - stack.size);
          break;
        case 3:
          if (count >= list.length) break;
          [stack, list] = [dug(stack, count), [list[count]!, ...list.toSpliced(count, 1)]];
          break;
        default:
          stack = stack.drop(count).underStack(stack.take(count));
      }
      expect(stack.size).toBe(list.length);
      expect(stack.top).toBe(list[0]);
      expect(stack.at(count)).toBe(list[count]);
      if (i % 100 === 0) {
        expect(typesOf(stack)).toEqual(list);
        expect(stack.head(7)).toEqual(list.slice(0, 7));
        expect(typesOf(stack.take(count))).toEqual(list.slice(0, count));
        expect(stack.typeNodes).toBe(nodesOf(list));
        expect(heightOf(stack)).toBeLessThan(3 * Math.log2(stack.size + 2) + 1);
      }
    }
  });

  it("makes a few nodes anew for a move from deep down, and shares the rest", () => {
    let stack = StackType.EMPTY.underAll(someTypes(1_000));
    for (let i = 0; i < 2_000; i++) {
      const after = dug(stack, COUNT);
      expect(ownNodes(after, stack)).toBeLessThan(60);
      stack = after;
    }
    expect(heightOf(stack)).toBeLessThan(25);
  });

  it("knows the stack without items", () => {
    expect(StackType.EMPTY.top).toBeUndefined();
    expect(StackType.EMPTY.at(3)).toBeUndefined();
    expect(typesOf(StackType.EMPTY.drop(2).take(2))).toEqual([]);
  });
});

describe("comparing two stacks of types", () => {
  const costOf = (types: readonly Type[]): number =>
    types.reduce((sum, t) => sum + sameTypeCost(typeSize(t)), 0);

  it("pays for each item once, whether or not they share it", () => {
    const types = someTypes(COUNT);
    const stack = StackType.EMPTY.underAll(types);
    const others = [stack, StackType.EMPTY.underAll(types), stack.drop(20).underAll(types.slice(0, 20))];
    for (const other of others) {
      const gas = new GasMeter(1e9);
      expect(stack.compareWith(other, gas)).toBe("same");
      expect(gas.used).toBe(costOf(types));
    }
  });

  it("names the first item that differs", () => {
    const types = someTypes(COUNT);
    const stack = StackType.EMPTY.underAll(types);
    const [a, b] = [type("set", INT), types[300]!];
    const other = stack.drop(301).under(a).underStack(stack.take(300));
    expect(other.compareWith(stack, new GasMeter(1e9))).toEqual({ item: 301, a, b });
  });

  it("tells another length", () => {
    const stack = StackType.EMPTY.underAll(someTypes(COUNT));
    expect(stack.compareWith(stack.take(COUNT - 1), new GasMeter(1e9))).toBe("length");
    expect(stack.take(COUNT - 1).compareWith(stack, new GasMeter(1e9))).toBe("length");
  });
});
