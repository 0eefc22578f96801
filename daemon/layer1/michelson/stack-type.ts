// Types on the stack while code is checked: a linked list, so that no instruction copies what lies below.
import { sameTypeCost } from "./check-costs.ts";
import type { GasMeter } from "./gas.ts";
import { type Type, sameType, typeSize } from "./type.ts";

/** Where two stacks differ first. */
export type StackDifference =
  "same" | "length" | { readonly item: number; readonly a: Type; readonly b: Type };

export class StackType {
  static readonly EMPTY = new StackType(undefined, undefined);

  readonly #top: Type | undefined;
  readonly #below: StackType | undefined;
  readonly size: number;

  private constructor(top: Type | undefined, below: StackType | undefined) {
    this.#top = top;
    this.#below = below;
    this.size = below ? below.size + 1 : 0;
  }

  static of(...types: readonly Type[]): StackType {
    return StackType.EMPTY.under(...types);
  }

  /** This stack with types on it; the first is the new top. */
  under(...types: readonly Type[]): StackType {
    return this.underAll(types);
  }

  underAll(types: readonly Type[]): StackType {
    // Not by spreading the arguments: there may be a thousand of them.
    return types.reduceRight<StackType>((below, type) => new StackType(type, below), this);
  }

  get top(): Type | undefined {
    return this.#top;
  }

  /** At most `count` types from the top. */
  head(count: number): readonly Type[] {
    const types: Type[] = [];
    StackType.#descend(this, count, (type) => types.push(type));
    return types;
  }

  at(depth: number): Type | undefined {
    return this.drop(depth).top;
  }

  /** Without its topmost types; empty when it has fewer. */
  drop(count: number): StackType {
    return StackType.#descend(this, count);
  }

  /** The stack below at most `count` types, each of which `visit` sees. */
  static #descend(from: StackType, count: number, visit?: (type: Type) => void): StackType {
    let at = from;
    for (let i = 0; i < count && at.#below; i++) {
      visit?.(at.#top!);
      at = at.#below;
    }
    return at;
  }

  /**
   * Whether both hold the same types, item by item from the top. Every pair of items is paid for; where the stacks
   * share what lies below, nothing more is looked at.
   */
  compareWith(other: StackType, gas: GasMeter): StackDifference {
    let [a, b]: [StackType, StackType] = [this, other];
    for (let item = 1; a.#below && b.#below; item++) {
      if (a === b) {
        gas.spend(a.#costOfEquals());
        return "same";
      }
      if (!sameType(a.#top!, b.#top!, gas)) return { item, a: a.#top!, b: b.#top! };
      [a, b] = [a.#below, b.#below];
    }
    return a.size === b.size ? "same" : "length";
  }

  #equalsCost: number | undefined;

  /** Of comparing each item with itself, which grows by one item at a time. */
  #costOfEquals(): number {
    const unknown: StackType[] = [];
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- where a walk down the stack begins
    let at: StackType = this;
    while (at.#equalsCost === undefined && at.#below) {
      unknown.push(at);
      at = at.#below;
    }
    let cost = at.#equalsCost ?? 0;
    for (let known = unknown.pop(); known; known = unknown.pop()) {
      cost += sameTypeCost(typeSize(known.#top!));
      known.#equalsCost = cost;
    }
    return cost;
  }
}
