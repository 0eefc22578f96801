// A value of Michelson in a row: kept as layer 1 wrote it, and made readable when somebody asks for it.
import type { Micheline } from "../../tezos/micheline.ts";
import { type HumanType, humanType } from "../human/human-type.ts";
import { humanValue, type Json } from "../human/human-value.ts";
import type { Meter } from "../human/meter.ts";

/** How values are shown: as JSON, as text of JSON, as Micheline, as text of Micheline. TzKT numbers them so. */
export type Format = 0 | 1 | 2 | 3;

/** A type that rows share, or one that each row has of its own: that is read when the value is shown. */
type Type = HumanType | { readonly written: Micheline };

export class ShownValue {
  readonly #type: Type | undefined;
  readonly node: Micheline;

  constructor(type: Type | undefined, node: Micheline) {
    this.#type = type;
    this.node = node;
  }

  /** As people read it. @throws what the meter throws */
  human(meter: Meter): Json {
    const type = this.#type;
    if (type === undefined) return this.node as Json;
    return humanValue("written" in type ? humanType(type.written) : type, this.node, meter);
  }
}
