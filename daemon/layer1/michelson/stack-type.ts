// Types on the stack while code is checked: a linked list, so that no instruction copies what lies below.
import { type Type, sameType } from "./type.ts";

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

  /** Whether both hold the same types. Ends where they share what lies below. */
  equals(other: StackType): boolean {
    if (this.size !== other.size) return false;
    let [a, b]: [StackType, StackType] = [this, other];
    while (a !== b) {
      if (!sameType(a.#top!, b.#top!)) return false;
      [a, b] = [a.#below!, b.#below!];
    }
    return true;
  }
}
