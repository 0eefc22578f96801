// The next block: operations accepted on top of the head, already applied. Validation of further operations and
// simulations build on it, so that a client may send several operations in a row.
import type { Decoded } from "../../tezos/operation-codec.ts";
import type { Protocol } from "../../tezos/protocols.ts";
import type { Job } from "../job.ts";
import { type AppliedOperation, applyOperation } from "../operations/apply-operation.ts";
import type { BlockFrame, RollupRules } from "../operations/execution.ts";
import { type Context, writeContext } from "../state/context.ts";
import { clearInbox, inboxMessages } from "../state/inbox.ts";
import { Layer, type StateReader } from "../state/store.ts";
import type { Block } from "./block.ts";
import { type KeptOperation, keepOperation } from "./kept-operation.ts";
import { Pending } from "./pending.ts";

export interface Accepted {
  readonly operation: Decoded;
  readonly hash: string;
  readonly hashBytes: Uint8Array;
}

export interface ChainRules {
  readonly protocol: Protocol;
  readonly chainId: string;
  readonly minBlockTime: bigint;
  readonly rollup: RollupRules;
  onFault(error: unknown): void;
}

/** The operations of a block with the state after them. */
interface Outcome {
  /** The state, each layer on top of the one before. */
  layers: readonly Layer[];
  readonly included: KeptOperation[];
  readsTime: boolean;
}

/** Runs a job in one go, or abandons it when it takes too long. */
export type Attempt = <T>(job: Job<T>, ms: number) => { readonly value: T } | undefined;

/** Processor time for reapplying the operations of a block that is closed in a later second. */
const REAPPLY_MS = 200;

export class NextBlock {
  readonly #attempt: Attempt;
  readonly #below: StateReader;
  readonly #predecessor: Block;
  readonly #rules: ChainRules;
  /** Accepted operations. */
  readonly pending = new Pending();
  #outcome: Outcome;
  #timestamp: bigint;
  #growth = 0;

  #context: Context | undefined;
  #contextOf: Layer | undefined;
  /** True while a reader depends on the newest layer staying as it is. */
  #isShared = false;

  constructor(
    below: StateReader,
    predecessor: Block,
    rules: ChainRules,
    timestamp: bigint,
    attempt: Attempt,
  ) {
    this.#attempt = attempt;
    this.#below = below;
    this.#predecessor = predecessor;
    this.#rules = rules;
    this.#timestamp = timestamp;
    this.#outcome = this.#empty();
  }

  #empty(): Outcome {
    const layer = new Layer(this.#below);
    clearInbox(writeContext(layer));
    return { layers: [layer], included: [], readsTime: false };
  }

  get frame(): BlockFrame {
    return { level: this.#predecessor.level + 1, timestamp: this.#timestamp, ...this.#rules };
  }

  /** Approximate bytes by which the accepted operations enlarge the state. */
  get growth(): number {
    return this.#growth;
  }

  /** State with the accepted operations applied. */
  get layer(): Layer {
    return topOf(this.#outcome);
  }

  get context(): Context {
    if (this.#contextOf !== this.layer) {
      this.#contextOf = this.layer;
      this.#context = writeContext(this.layer);
    }
    return this.#context!;
  }

  /** The current state for a long read: it stays unchanged. */
  share(): StateReader {
    this.#isShared = true;
    return this.layer;
  }

  /** Applies a validated operation to the current state without including it. @throws BlsNeeded */
  apply({ operation, hashBytes }: Accepted): Job<AppliedOperation> {
    return applyOperation(this.layer, operation.contents, hashBytes, this.frame);
  }

  /** Includes an operation that was applied to the current state. */
  include(accepted: Accepted, applied: AppliedOperation): void {
    this.#growth += applied.layer.growth;
    const { bytes } = include(this.#outcome, accepted, applied, this.#isShared);
    this.#isShared = false;
    this.pending.add(accepted, bytes);
  }

  /**
   * Closes the block. If its time differs from the second in which its operations were applied and one of them read the
   * time, all are reapplied. If that takes too long or throws, the block keeps the first results and that second.
   */
  close(timestamp: bigint): {
    readonly timestamp: bigint;
    readonly writes: ReadonlyMap<string, unknown>;
    readonly operations: readonly KeptOperation[];
    readonly messages: readonly string[];
  } {
    if (timestamp !== this.#timestamp) this.#reapply(timestamp);
    const { layers, included } = this.#outcome;
    return {
      timestamp: this.#timestamp,
      writes: layers.length === 1 ? layers[0]!.writes : new Map(layers.flatMap(({ writes }) => [...writes])),
      operations: included,
      messages: inboxMessages(this.context),
    };
  }

  #reapply(timestamp: bigint): void {
    if (!this.#outcome.readsTime) {
      this.#timestamp = timestamp;
      return;
    }
    const again = this.#empty();
    try {
      if (!this.#attempt(this.#applyAll(again, { ...this.frame, timestamp }), REAPPLY_MS)) return;
    } catch (error) {
      this.#rules.onFault(error);
      return;
    }
    this.#outcome = again;
    this.#timestamp = timestamp;
  }

  *#applyAll(outcome: Outcome, frame: BlockFrame): Job<void> {
    for (const accepted of this.pending.all) {
      const { operation, hashBytes } = accepted;
      include(
        outcome,
        accepted,
        yield* applyOperation(topOf(outcome), operation.contents, hashBytes, frame),
        false,
      );
      yield;
    }
  }
}

/**
 * Layers with one more on top. Neighbours of similar size become one, so that they stay few however often the state was
 * shared: a look at a key may go through all of them, and each holds its own version of a value.
 */
function stackLayer(layers: readonly Layer[], top: Layer): readonly Layer[] {
  const lower = [...layers];
  let upper = top;
  for (let next = lower.at(-1); next && next.writes.size <= 2 * upper.writes.size; next = lower.at(-1)) {
    upper = Layer.join(next, upper);
    lower.pop();
  }
  return [...lower, upper];
}

const topOf = ({ layers }: Outcome): Layer => layers[layers.length - 1]!;

function include(
  outcome: Outcome,
  { operation, hash }: Accepted,
  { contents, layer, readsTime }: AppliedOperation,
  isShared: boolean,
): KeptOperation {
  const kept = keepOperation({ hash, branch: operation.branch, signature: operation.signature!, contents });
  if (isShared) outcome.layers = stackLayer(outcome.layers, layer);
  else layer.mergeInto(topOf(outcome));
  outcome.readsTime ||= readsTime;
  outcome.included.push(kept);
  return kept;
}
