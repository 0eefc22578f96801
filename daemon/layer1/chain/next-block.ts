// The block under way: operations accepted on top of the head, already applied. Validation of further
// operations and simulations build on it, so that a client may send several operations in a row.
import { Layer, type StateReader } from "./store.ts";
import { type Context, writeContext } from "./context.ts";
import type { Block, IncludedOperation } from "./block.ts";
import { applyOperation } from "../operations/apply-operation.ts";
import type { BlockFrame, RollupRules } from "../operations/execution.ts";
import type { Decoded } from "../operations/operation-codec.ts";
import { clearInbox, inboxMessages } from "../rollup/inbox.ts";

export interface Accepted {
  readonly operation: Decoded;
  readonly hash: string;
  readonly hashBytes: Uint8Array;
}

export interface ChainRules {
  readonly chainId: string;
  readonly minBlockTime: bigint;
  readonly rollup: RollupRules;
  onFault(error: unknown): void;
}

/** A block's operations with the state after them. */
interface Outcome {
  readonly layer: Layer;
  readonly context: Context;
  readonly included: IncludedOperation[];
}

export class NextBlock {
  readonly #below: StateReader;
  readonly #predecessor: Block;
  readonly #rules: ChainRules;
  readonly #accepted: Accepted[] = [];
  #outcome: Outcome;
  #timestamp: bigint;

  constructor(below: StateReader, predecessor: Block, rules: ChainRules, timestamp: bigint) {
    this.#below = below;
    this.#predecessor = predecessor;
    this.#rules = rules;
    this.#timestamp = timestamp;
    this.#outcome = this.#empty();
  }

  #empty(): Outcome {
    const layer = new Layer(this.#below);
    const context = writeContext(layer);
    clearInbox(context);
    return { layer, context, included: [] };
  }

  get accepted(): readonly Accepted[] {
    return this.#accepted;
  }

  get frame(): BlockFrame {
    return this.#frameAt(this.#timestamp);
  }

  #frameAt(timestamp: bigint): BlockFrame {
    return { level: this.#predecessor.level + 1, timestamp, ...this.#rules };
  }

  /** State with the accepted operations applied. */
  get layer(): Layer {
    return this.#outcome.layer;
  }

  get context(): Context {
    return this.#outcome.context;
  }

  /** Applies a validated operation and keeps it for this block. @throws CurvesNeeded */
  add(accepted: Accepted): void {
    include(this.#outcome, accepted, this.frame);
    this.#accepted.push(accepted);
  }

  /**
   * Closes the block. Operations run again when its time is not the second they were applied in, because scripts
   * can read the time. When that comes to no end, the block keeps what they did the first time, and that second.
   */
  close(timestamp: bigint): {
    readonly timestamp: bigint;
    readonly layer: Layer;
    readonly operations: readonly IncludedOperation[];
    readonly messages: readonly string[];
  } {
    if (timestamp !== this.#timestamp) this.#applyAgain(timestamp);
    const { layer, context, included } = this.#outcome;
    return { timestamp: this.#timestamp, layer, operations: included, messages: inboxMessages(context) };
  }

  #applyAgain(timestamp: bigint): void {
    if (this.#accepted.length === 0) {
      this.#timestamp = timestamp;
      return;
    }
    const again = this.#empty();
    try {
      for (const accepted of this.#accepted) include(again, accepted, this.#frameAt(timestamp));
    } catch (error) {
      this.#rules.onFault(error);
      return;
    }
    this.#outcome = again;
    this.#timestamp = timestamp;
  }
}

function include({ layer, included }: Outcome, accepted: Accepted, frame: BlockFrame): void {
  const { operation, hash, hashBytes } = accepted;
  const contents = applyOperation(layer, operation.contents, hashBytes, frame);
  included.push({ hash, branch: operation.branch, signature: operation.signature!, contents });
}
