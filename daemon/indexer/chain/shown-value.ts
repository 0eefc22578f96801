// A value of Michelson in a row: kept as layer 1 wrote it, and made readable when somebody asks for it.
import type { Micheline } from "../../tezos/micheline.ts";
import type { HumanType } from "../human/human-type.ts";
import { humanValue, type Json } from "../human/human-value.ts";

/** How values are shown: as JSON, as text of JSON, as Micheline, as text of Micheline. TzKT numbers them so. */
export type Format = 0 | 1 | 2 | 3;

export class ShownValue {
  readonly type: HumanType | undefined;
  readonly node: Micheline;

  constructor(type: HumanType | undefined, node: Micheline) {
    this.type = type;
    this.node = node;
  }

  get human(): Json {
    return this.type === undefined ? (this.node as Json) : humanValue(this.type, this.node);
  }

  in(format: Format): unknown {
    switch (format) {
      case 0:
        return this.human;
      case 1:
        return JSON.stringify(this.human);
      case 2:
        return this.node;
      case 3:
        return JSON.stringify(this.node);
    }
  }
}
