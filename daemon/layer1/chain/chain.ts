// The chain: head, history, the block under way, and the ways in (inject, simulate, preapply). No timers here;
// the producer decides when a block is made.
import { encodeBase58 } from "../../protocol/base58.ts";
import { blake2b256 } from "../../protocol/blake2b.ts";
import { loadCurves } from "../michelson/curves.ts";
import { CurvesNeeded, permanent, temporary } from "../michelson/michelson-error.ts";
import { type AppliedContent, applyOperation } from "../operations/apply-operation.ts";
import type { Operation } from "../operations/content.ts";
import { type Decoded, decodeOperation, forgeOperation, signedBytes } from "../operations/operation-codec.ts";
import { OperationRefused } from "../operations/protocol-error.ts";
import { MAX_GAS_PER_BLOCK, validateOperation } from "../operations/validate.ts";
import { type Block, chainIdOfGenesis, genesisBlock, makeBlock } from "./block.ts";
import { type ContextReader, readContext } from "./context.ts";
import { type BootstrapAccount, writeGenesis } from "./genesis.ts";
import { History } from "./history.ts";
import { type Accepted, type ChainRules, NextBlock } from "./next-block.ts";
import { WaitingRoom } from "./waiting-room.ts";
import { Layer, type StateReader, Store } from "./store.ts";
import { clearInbox } from "../rollup/inbox.ts";

export interface ChainOptions {
  readonly accounts: readonly BootstrapAccount[];
  readonly historyBlocks: number;
  /** One operation per source and block, and branches no older than the protocol allows. */
  readonly strict: boolean;
  readonly minBlockTime: bigint;
  readonly rollup: ChainRules["rollup"];
  /** Seconds since 1970. */
  readonly now: () => bigint;
  /** Told of every mistake that was caught so that the chain could go on. */
  readonly onFault: (error: unknown) => void;
}

/** Blocks that an operation may wait for its inclusion, in levels of its branch. */
export const OPERATION_TTL = 60;

/** How long an operation with a counter too high waits for the one before it. */
const PATIENCE_MS = 500;

export class Chain {
  readonly chainId: string;
  readonly #options: ChainOptions;
  readonly #store = new Store();
  readonly #history: History;
  readonly #rules: ChainRules;
  readonly #listeners = new Set<(block: Block) => void>();
  readonly #acceptedListeners = new Set<(accepted: Accepted) => void>();
  readonly #room = new WaitingRoom(PATIENCE_MS);
  /** Valid operations for which the block under way has no gas left; strict chains only. */
  #waiting: Accepted[] = [];
  #next: NextBlock;

  constructor(options: ChainOptions) {
    this.#options = options;
    const genesis = genesisBlock(options.now());
    this.chainId = chainIdOfGenesis(genesis);
    this.#rules = {
      chainId: this.chainId,
      minBlockTime: options.minBlockTime,
      rollup: options.rollup,
      onFault: options.onFault,
    };
    this.#history = new History(genesis, options.historyBlocks);
    writeGenesis(this.#store, options.accounts);
    this.#next = new NextBlock(this.#store, genesis, this.#rules, options.now());
    // Activation and one block on top of it, so that `head~2` exists from the start.
    this.bake();
    this.bake();
  }

  get head(): Block {
    return this.#history.head;
  }

  get history(): History {
    return this.#history;
  }

  get pending(): NextBlock["accepted"] {
    return this.#waiting.length === 0 ? this.#next.accepted : [...this.#next.accepted, ...this.#waiting];
  }

  get nextBlock(): NextBlock {
    return this.#next;
  }

  /** State after a kept block. */
  contextAt(block: Block): ContextReader {
    return readContext(this.#store.at(block.level));
  }

  /** Raw state after a kept block, for writing on top of. */
  stateAt(block: Block): StateReader {
    return this.#store.at(block.level);
  }

  /** Calls back for every new block, until the returned function is called. */
  onBlock(listener: (block: Block) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** State after the head, for `bakeState`. */
  copyState(): ReadonlyMap<string, unknown> {
    return this.#store.copy();
  }

  /**
   * Makes a block without operations whose state is that of the copy. The chain goes on forward: levels, hashes
   * and times are not part of the state. Nothing may be pending.
   */
  bakeState(copy: ReadonlyMap<string, unknown>): Block {
    if (this.pending.length > 0) throw new Error("operations are pending");
    for (const [key, value] of this.#store.differenceTo(copy)) this.#next.layer.set(key, value);
    clearInbox(this.#next.context); // the messages of that time have been handed over
    return this.bake();
  }

  /** Calls back for every operation that was taken into the next block or waits for one after it. */
  onAccepted(listener: (accepted: Accepted) => void): () => void {
    this.#acceptedListeners.add(listener);
    return () => this.#acceptedListeners.delete(listener);
  }

  /** Makes a block of what is pending. */
  bake(): Block {
    const predecessor = this.head;
    const now = this.#options.now();
    const { timestamp, layer, operations, messages } = this.#next.close(
      now > predecessor.timestamp ? now : predecessor.timestamp,
    );
    const block = makeBlock(predecessor, timestamp, operations, messages);
    this.#store.commit(block.level, layer.writes);
    const dropped = this.#history.push(block);
    if (dropped !== undefined) this.#store.forgetBefore(dropped + 1);
    this.#next = new NextBlock(this.#store, block, this.#rules, timestamp);
    this.#admitWaiting();
    this.#tell(this.#listeners, block);
    return block;
  }

  /** A listener that throws harms neither the chain nor the other listeners. */
  #tell<T>(listeners: ReadonlySet<(news: T) => void>, news: T): void {
    for (const listener of listeners) {
      try {
        listener(news);
      } catch (error) {
        this.#options.onFault(error);
      }
    }
  }

  /**
   * Takes a signed operation into the next block.
   * @returns its hash
   * @throws MalformedBytes, OperationRefused
   */
  async inject(bytes: Uint8Array, prefilter = true): Promise<string> {
    const operation = decodeOperation(bytes);
    const { source, counter } = operation.contents[0]!;
    for (;;) {
      try {
        const hash = await withCurves(() => this.#accept(operation, bytes, prefilter));
        this.#room.taken(source, BigInt(operation.contents.at(-1)!.counter));
        return hash;
      } catch (error) {
        const isEarly =
          error instanceof OperationRefused && error.errors[0]?.id === "contract.counter_in_the_future";
        if (!isEarly || this.#options.strict || !(await this.#room.untilTaken(source, BigInt(counter) - 1n)))
          throw error;
      }
    }
  }

  #accept(operation: Decoded, bytes: Uint8Array, prefilter: boolean): string {
    const hashBytes = blake2b256(bytes);
    const hash = encodeBase58("operationHash", hashBytes);
    if (this.pending.some((accepted) => accepted.hash === hash)) return hash;
    this.#checkBranch(operation, hash);
    if (this.#next.frame.timestamp < this.#options.now() && this.pending.length === 0)
      this.#next = new NextBlock(this.#store, this.head, this.#rules, this.#options.now());
    this.#checkConflict(operation, hash);
    validateOperation(this.#next.context, operation.contents, {
      signed: { unsigned: operation.unsigned, signature: operation.signature! },
      isSimulation: false,
    });
    if (prefilter) checkFees(operation, bytes.length);
    const accepted = { operation, hash, hashBytes };
    if (this.#fits(operation)) this.#next.add(accepted);
    else this.#waiting.push(accepted);
    this.#tell(this.#acceptedListeners, accepted);
    return hash;
  }

  /** Whether the block under way has gas left for an operation; without limit unless strict. */
  #fits(operation: Operation): boolean {
    if (!this.#options.strict) return true;
    const used = this.#next.accepted.reduce((sum, accepted) => sum + gasOf(accepted.operation), 0n);
    return used + gasOf(operation) <= MAX_GAS_PER_BLOCK;
  }

  /** Operations that found the last block full come first in the next one, unless they are no longer valid. */
  #admitWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const accepted of waiting) {
      try {
        this.#admit(accepted);
      } catch (error) {
        if (error instanceof CurvesNeeded) {
          this.#waiting.push(accepted); // comes into the block after this one
          void loadCurves();
        } else if (!(error instanceof OperationRefused)) {
          this.#options.onFault(error);
        }
        // Refused by now, so it vanishes, as it does from the mempool of a real node.
      }
    }
  }

  #admit(accepted: Accepted): void {
    this.#checkBranch(accepted.operation, accepted.hash);
    validateOperation(this.#next.context, accepted.operation.contents, {
      signed: undefined,
      isSimulation: false,
    });
    if (this.#fits(accepted.operation)) this.#next.add(accepted);
    else this.#waiting.push(accepted);
  }

  /** Whether the branch is the hash of a block that is recent enough. */
  #checkBranch(operation: Operation, hash: string): void {
    const block = this.#history.byHash(operation.branch);
    const age = block && this.head.level - block.level;
    const limit = this.#options.strict ? OPERATION_TTL : this.#options.historyBlocks;
    if (age !== undefined && age <= limit) return;
    const reason =
      age === undefined ? "is unknown, on an alternative chain or too old" : `is too old (${age} blocks)`;
    throw new OperationRefused(
      [
        temporary("failure", {
          msg: `Error while applying operation ${hash}:\nbranch ${operation.branch} ${reason}`,
        }),
      ],
      true,
    );
  }

  /** One operation per source and block when strict; otherwise only a counter that is taken already. */
  #checkConflict({ contents }: Decoded, hash: string): void {
    const { source, counter } = contents[0]!;
    const same = this.pending.filter((accepted) => accepted.operation.contents[0]!.source === source);
    const conflicting = this.#options.strict
      ? same[0]
      : same.find((accepted) => accepted.operation.contents.some((content) => content.counter === counter));
    if (!conflicting) return;
    const fee = conflicting.operation.contents.reduce((sum, content) => sum + BigInt(content.fee), 0n);
    throw new OperationRefused(
      [
        temporary("prevalidation.operation_conflict", {
          new_hash: hash,
          needed_fee_in_mutez: ((fee * 21n) / 20n + 1n).toString(),
        }),
      ],
      true,
    );
  }

  /** Applies contents to a copy of the state without checking signatures. @throws OperationRefused */
  async simulate({ contents }: Operation): Promise<readonly AppliedContent[]> {
    return withCurves(() => {
      const { layer, frame } = this.#throwAway(contents);
      validateOperation(readContext(layer), contents, { signed: undefined, isSimulation: true });
      return applyOperation(layer, contents, new Uint8Array(32), frame);
    });
  }

  /** Validates and applies signed operations to a copy of the state, one after the other. @throws OperationRefused */
  async preapply(operations: readonly Operation[]): Promise<readonly (readonly AppliedContent[])[]> {
    return withCurves(() => {
      const { layer, frame } = this.#throwAway(operations[0]!.contents);
      return operations.map(({ branch, contents, signature }) => {
        if (!signature) throw new OperationRefused([permanent("operation.missing_signature")]);
        const unsigned = forgeOperation(branch, contents);
        validateOperation(readContext(layer), contents, {
          signed: { unsigned, signature },
          isSimulation: false,
        });
        return applyOperation(layer, contents, blake2b256(signedBytes(unsigned, signature)), frame);
      });
    });
  }

  /**
   * A copy of the state to try an operation on: the head's when its counter is the next one there (clients
   * estimate with the counter of the head, whatever they have sent since), otherwise with what is pending.
   */
  #throwAway(contents: Operation["contents"]): { readonly layer: Layer; readonly frame: NextBlock["frame"] } {
    const first = contents[0]!;
    const atHead = readContext(this.#store).account(first.source);
    const fitsHead =
      this.#options.strict || (atHead !== undefined && BigInt(first.counter) === atHead.counter + 1n);
    return { layer: new Layer(fitsHead ? this.#store : this.#next.layer), frame: this.#frameNow() };
  }

  #frameNow(): NextBlock["frame"] {
    const now = this.#options.now();
    const frame = this.#next.frame;
    return { ...frame, timestamp: now > frame.timestamp ? now : frame.timestamp };
  }

  /** The block that scripts run in when they run apart from operations. */
  get frame(): NextBlock["frame"] {
    return this.#frameNow();
  }
}

const gasOf = ({ contents }: Operation): bigint =>
  contents.reduce((sum, content) => sum + BigInt(content.gas_limit), 0n);

/** Smallest fee a node's mempool takes: 100 mutez, 0.1 per unit of gas, 1 per byte. */
function checkFees({ contents }: Operation, size: number): void {
  const sum = (field: "fee" | "gas_limit"): bigint =>
    contents.reduce((total, content) => total + BigInt(content[field]), 0n);
  const needed = 100n + (sum("gas_limit") + 9n) / 10n + BigInt(size);
  if (sum("fee") < needed)
    throw new OperationRefused([
      permanent("prefilter.fees_too_low", { needed_fee_in_mutez: needed.toString() }),
    ]);
}

/** Runs something that may find the curve library missing: loads it and runs again. */
async function withCurves<T>(run: () => T): Promise<T> {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof CurvesNeeded)) throw error;
    await loadCurves();
    return run();
  }
}
