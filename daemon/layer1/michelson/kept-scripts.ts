// Scripts of the chain that were checked: the same code comes back for every call of a contract. What runs takes about a
// hundred times the room of the code, which is what the state is bounded by, so that only those used last are kept.
import type { Micheline } from "../../tezos/micheline.ts";

/** Nodes of all scripts that are kept: about 50 MB. */
const MAX_NODES = 500_000;

export class KeptScripts<S extends { readonly nodes: number }> {
  readonly #maxNodes: number;
  /** By the node of the code; the one used last is the last. */
  readonly #scripts = new Map<Micheline, S>();
  #nodes = 0;

  constructor(maxNodes = MAX_NODES) {
    this.#maxNodes = maxNodes;
  }

  get(code: Micheline): S | undefined {
    const script = this.#scripts.get(code);
    if (script) {
      this.#scripts.delete(code);
      this.#scripts.set(code, script);
    }
    return script;
  }

  /** Keeps a script, and forgets those used least lately where there is too much. */
  set(code: Micheline, script: S): void {
    this.#forget(code);
    this.#scripts.set(code, script);
    this.#nodes += script.nodes;
    for (const oldest of this.#scripts.keys()) {
      if (this.#nodes <= this.#maxNodes) break;
      this.#forget(oldest);
    }
  }

  #forget(code: Micheline): void {
    const script = this.#scripts.get(code);
    if (!script) return;
    this.#scripts.delete(code);
    this.#nodes -= script.nodes;
  }
}
