// The types before and after each instruction of a code, as `typecheck_code` shows them. A wide stack is shown again for
// every instruction, which no gas pays for: the protocol writes them without accounting for them.
import type { Micheline } from "../../tezos/micheline.ts";
import type { TypeLog } from "./instruction.ts";
import { MichelsonError, temporary } from "./michelson-error.ts";
import type { StackType } from "./stack-type.ts";
import { type Type, plainType } from "./type.ts";

/** Nodes of all the types that are shown: about 20 MB of text. Code that is not made to be long has far fewer. */
const MAX_NODES = 1_000_000;

interface TypeMapEntry {
  readonly location: number;
  readonly stack_before: readonly Micheline[];
  readonly stack_after: readonly Micheline[];
}

export class TypeMap {
  readonly #entries: TypeMapEntry[] = [];
  /** A type is written once, however often it is shown. */
  readonly #written = new Map<Type, Micheline>();
  #nodes = 0;

  /** Takes note of an instruction. @throws MichelsonError sandbox.type_map_too_large */
  readonly log: TypeLog = (location, before, after) => {
    const entry = { location, stack_before: this.#write(before), stack_after: this.#write(after) };
    this.#entries.push(entry);
  };

  #write(stack: StackType): readonly Micheline[] {
    this.#nodes += stack.typeNodes;
    if (this.#nodes > MAX_NODES) throw tooLarge();
    return stack.head(stack.size).map((t) => {
      let written = this.#written.get(t);
      if (!written) this.#written.set(t, (written = plainType(t)));
      return written;
    });
  }

  /** The entries; the newest comes first. */
  newestFirst(): readonly TypeMapEntry[] {
    return this.#entries.toReversed();
  }
}

const tooLarge = (): MichelsonError =>
  new MichelsonError(
    temporary("sandbox.type_map_too_large", {
      msg: `The stacks of this code have more than ${MAX_NODES} nodes of types in all: ask without show_types, or for a part of the code.`,
    }),
  );
