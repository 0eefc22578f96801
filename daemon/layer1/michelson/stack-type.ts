// Types on the stack while code is checked: a balanced tree in the order of the stack. What an instruction leaves alone
// is shared with the stack before it, so that a move deep down makes a few nodes anew and copies nothing.
import type { Micheline } from "../../tezos/micheline.ts";
import { sameTypeCost } from "./check-costs.ts";
import type { GasMeter } from "./gas.ts";
import { type Type, plainType, sameType, typeSize } from "./type.ts";

/** The first difference between two stacks. */
export type StackDifference =
  | "same"
  | "length"
  | { readonly item: number; readonly a: Type; readonly b: Type };

/** Of a deep stack errors show the top only. */
const SHOWN_IN_ERRORS = 8;

/** One side of a node is at most this many times as large as the other, unless there are too few types to share out. */
const MAX_RATIO = 3;
/** A larger side whose own sides have this ratio, or a greater one, is taken apart when it is made smaller. */
const DOUBLE_RATIO = 2;

export class StackType {
  static readonly EMPTY = new StackType();

  readonly #above: StackType;
  readonly #item: Type | undefined;
  readonly #below: StackType;
  readonly size: number;
  #typeNodes: number | undefined;

  /** Makes the empty stack when there is no item; both sides of that one are itself. */
  private constructor(above?: StackType, item?: Type, below?: StackType) {
    this.#above = above ?? this;
    this.#item = item;
    this.#below = below ?? this;
    this.size = above && below ? above.size + 1 + below.size : 0;
  }

  static of(...types: readonly Type[]): StackType {
    return StackType.EMPTY.under(...types);
  }

  /** This stack with types pushed on it; the first is the new top. */
  under(...types: readonly Type[]): StackType {
    return this.underAll(types);
  }

  underAll(types: readonly Type[]): StackType {
    // Not by spreading the arguments: there may be a thousand of them.
    return types.reduceRight<StackType>((below, type) => below.#push(type), this);
  }

  /** This stack with another one on it. */
  underStack(upper: StackType): StackType {
    if (upper.size === 0) return this;
    if (this.size === 0) return upper;
    return StackType.#join(upper, this.top!, this.drop(1));
  }

  get top(): Type | undefined {
    // oxlint-disable-next-line typescript/no-this-alias -- the loop starts at this node and moves up
    let at: StackType = this;
    while (at.#above.size > 0) at = at.#above;
    return at.#item;
  }

  /** At most `count` types from the top. */
  head(count: number): readonly Type[] {
    const types: Type[] = [];
    this.#collect(count, types);
    return types;
  }

  /** The types at the top as an error shows them. */
  shownInErrors(): readonly Micheline[] {
    return this.head(SHOWN_IN_ERRORS).map(plainType);
  }

  #collect(count: number, into: Type[]): void {
    if (this.size === 0 || into.length >= count) return;
    this.#above.#collect(count, into);
    if (into.length >= count) return;
    into.push(this.#item!);
    this.#below.#collect(count, into);
  }

  at(depth: number): Type | undefined {
    // oxlint-disable-next-line typescript/no-this-alias -- the loop starts at this node and moves down
    let at: StackType = this;
    for (let left = depth; ;) {
      const above = at.#above.size;
      if (left === above) return at.#item;
      if (left < above) at = at.#above;
      else {
        if (at.size === 0) return undefined;
        left -= above + 1;
        at = at.#below;
      }
    }
  }

  /** Without its topmost types; empty when it has fewer. */
  drop(count: number): StackType {
    if (count <= 0) return this;
    if (count >= this.size) return StackType.EMPTY;
    const above = this.#above.size;
    if (count > above) return this.#below.drop(count - above - 1);
    return StackType.#join(this.#above.drop(count), this.#item!, this.#below);
  }

  /** Its topmost types alone; all of it when it has fewer. */
  take(count: number): StackType {
    if (count <= 0) return StackType.EMPTY;
    if (count >= this.size) return this;
    const above = this.#above.size;
    if (count <= above) return this.#above.take(count);
    return StackType.#join(this.#above, this.#item!, this.#below.take(count - above - 1));
  }

  /** Nodes of all its types together. */
  get typeNodes(): number {
    if (this.#item === undefined) return 0;
    return (this.#typeNodes ??= this.#above.typeNodes + typeSize(this.#item) + this.#below.typeNodes);
  }

  /**
   * Whether both hold the same types, item by item from the top. Every pair of items is paid for; what the stacks share
   * is not looked at.
   */
  compareWith(other: StackType, gas: GasMeter): StackDifference {
    const [as, bs] = [new Walk(this), new Walk(other)];
    for (let item = 1; ;) {
      const [a, b] = [as.next(), bs.next()];
      if (!a || !b) return a === b ? "same" : "length";
      if (a === b && a instanceof StackType) {
        gas.spend(a.#costOfEquals());
        item += a.size;
      } else if (a instanceof StackType && !(b instanceof StackType && b.size > a.size)) {
        as.open(a);
        bs.putBack(b);
      } else if (b instanceof StackType) {
        bs.open(b);
        as.putBack(a);
      } else {
        const [x, y] = [a as Type, b];
        if (!sameType(x, y, gas)) return { item, a: x, b: y };
        item++;
      }
    }
  }

  /** Milligas of comparing each item with itself. */
  #costOfEquals(): number {
    const [ofItem, ofNode] = [sameTypeCost(0), sameTypeCost(1) - sameTypeCost(0)];
    return ofItem * this.size + ofNode * this.typeNodes;
  }

  /** Its parts from the top to the bottom. */
  get parts(): readonly [StackType, Type, StackType] {
    return [this.#above, this.#item!, this.#below];
  }

  #push(type: Type): StackType {
    return this.#item === undefined
      ? new StackType(StackType.EMPTY, type, StackType.EMPTY)
      : StackType.#balance(this.#above.#push(type), this.#item, this.#below);
  }

  /** Puts stacks of any sizes together. Source of the method: S. Adams, Efficient sets: a balancing act. */
  static #join(above: StackType, item: Type, below: StackType): StackType {
    if (above.size === 0) return below.#push(item);
    if (above.size * MAX_RATIO < below.size)
      return StackType.#balance(StackType.#join(above, item, below.#above), below.#item!, below.#below);
    if (below.size * MAX_RATIO < above.size)
      return StackType.#balance(above.#above, above.#item!, StackType.#join(above.#below, item, below));
    return new StackType(above, item, below);
  }

  /** A node of two sides that are out of balance by little. */
  static #balance(above: StackType, item: Type, below: StackType): StackType {
    if (above.size + below.size > 1) {
      if (below.size > MAX_RATIO * above.size) {
        const [inner, outer] = [below.#above, below.#below];
        if (inner.size < DOUBLE_RATIO * outer.size)
          return new StackType(new StackType(above, item, inner), below.#item, outer);
        return new StackType(
          new StackType(above, item, inner.#above),
          inner.#item,
          new StackType(inner.#below, below.#item, outer),
        );
      }
      if (above.size > MAX_RATIO * below.size) {
        const [inner, outer] = [above.#below, above.#above];
        if (inner.size < DOUBLE_RATIO * outer.size)
          return new StackType(outer, above.#item, new StackType(inner, item, below));
        return new StackType(
          new StackType(outer, above.#item, inner.#above),
          inner.#item,
          new StackType(inner.#below, item, below),
        );
      }
    }
    return new StackType(above, item, below);
  }
}

/** A walk down a stack, by parts as large as whoever walks wants them. */
class Walk {
  readonly #pending: (StackType | Type)[];

  constructor(stack: StackType) {
    this.#pending = [stack];
  }

  /** The next part that is not empty. */
  next(): StackType | Type | undefined {
    for (;;) {
      const part = this.#pending.pop();
      if (!(part instanceof StackType) || part.size > 0) return part;
    }
  }

  putBack(part: StackType | Type): void {
    this.#pending.push(part);
  }

  /** Has the parts of a part come next. */
  open(stack: StackType): void {
    const [above, item, below] = stack.parts;
    this.#pending.push(below, item, above);
  }
}
