// A Michelson value in a row: kept as Micheline, and converted to readable JSON on demand.
import type { Micheline } from "../../tezos/micheline.ts";
import { type HumanType, humanType } from "../human/human-type.ts";
import { humanValue, type Json } from "../human/human-value.ts";
import type { Meter } from "../human/meter.ts";

/** TzKT's numbers for formats of values: JSON, JSON text, Micheline, Micheline text. */
export type Format = 0 | 1 | 2 | 3;

/** A parsed type that rows share, or one row's own type as Micheline, parsed when the value is shown. */
type Type = HumanType | { readonly written: Micheline };

export class ShownValue {
  readonly #type: Type | undefined;
  readonly node: Micheline;

  constructor(type: Type | undefined, node: Micheline) {
    this.#type = type;
    this.node = node;
  }

  /** The value as readable JSON. @throws what the meter throws */
  human(meter: Meter): Json {
    const type = this.#type;
    if (type === undefined) return this.node as Json;
    return humanValue("written" in type ? humanType(type.written) : type, this.node, meter);
  }
}
