// A Michelson value in a row: kept as packed Micheline, and converted to readable JSON on demand.
import type { Micheline } from "../../tezos/micheline.ts";
import { type HumanType, humanType } from "../human/human-type.ts";
import { humanValue, type Json } from "../human/human-value.ts";
import type { Meter } from "../human/meter.ts";
import { PackedNode } from "./packed-node.ts";

/** TzKT's numbers for formats of values: JSON, JSON text, Micheline, Micheline text. */
export type Format = 0 | 1 | 2 | 3;

/** A parsed type that rows share, or one row's own type, parsed when the value is shown. */
type Type = HumanType | PackedNode;

/** Bytes of this object. */
const OBJECT = 40;

export class ShownValue {
  readonly #type: Type | undefined;
  readonly #value: PackedNode;

  constructor(type: Type | undefined, node: Micheline) {
    this.#type = type;
    this.#value = new PackedNode(node);
  }

  /** The value as Micheline. Parsed on each access. */
  get node(): Micheline {
    return this.#value.node;
  }

  /** Estimated bytes of memory, without a type that rows share. */
  get weight(): number {
    return OBJECT + this.#value.weight + (this.#type instanceof PackedNode ? this.#type.weight : 0);
  }

  /** The value as readable JSON. @throws what the meter throws */
  human(meter: Meter): Json {
    const type = this.#type;
    const node = this.node;
    if (type === undefined) return node as Json;
    return humanValue(type instanceof PackedNode ? humanType(type.node) : type, node, meter);
  }
}
