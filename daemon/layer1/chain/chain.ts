// The chain: head, history, the next block, and the entry points (inject, simulate, preapply). It has no timers; the
// producer decides when to make a block.
import { encodeBase58 } from "../../tezos/base58.ts";
import { blake2b256 } from "../../tezos/blake2b.ts";
import { MalformedBytes } from "../../tezos/byte-reader.ts";
import type { Operation } from "../../tezos/content.ts";
import { BlsNeeded, loadBls, withBls } from "../../tezos/curves.ts";
import { type Decoded, decodeOperation } from "../../tezos/operation-codec.ts";
import { OPERATION_TTL } from "../../tezos/parameters.ts";
import { type Protocol, unknownPrimitive } from "../../tezos/protocols.ts";
import type { Job } from "../job.ts";
import { temporary } from "../michelson/michelson-error.ts";
import { OperationRefused } from "../operations/operation-refused.ts";
import { checkFees, conflict, gasOf } from "../operations/prefilter.ts";
import { type CheckSignature, validateOperation } from "../operations/validate.ts";
import { type ContextReader, readContext } from "../state/context.ts";
import { clearInbox } from "../state/inbox.ts";
import { type Layer, type StateReader, Store } from "../state/store.ts";
import type { Turns } from "../turns.ts";
import { type Block, chainIdOfGenesis, genesisBlock, makeBlock } from "./block.ts";
import { type BootstrapAccount, writeGenesis } from "./genesis.ts";
import { History } from "./history.ts";
import { type Accepted, type ChainRules, NextBlock } from "./next-block.ts";
import { OperationQueue, STALE } from "./operation-queue.ts";
import { FULL_BYTES, makePendingRoom, Pending } from "./pending.ts";
import { SignatureChecks } from "./signature-checks.ts";
import { Trials } from "./trials.ts";
import { WaitingRoom } from "./waiting-room.ts";

export interface ChainOptions {
  readonly protocol: Protocol;
  readonly accounts: readonly BootstrapAccount[];
  readonly historyBlocks: number;
  /** Approximate bytes of memory that accounts, contracts, big maps and tickets may occupy. */
  readonly maxStateBytes: number;
  /** One operation per source and block, and no branches older than the protocol allows. */
  readonly strict: boolean;
  readonly minBlockTime: bigint;
  readonly rollup: ChainRules["rollup"];
  /** Seconds since 1970. */
  readonly now: () => bigint;
  /** Shares the thread among the chain's jobs. */
  readonly turns: Turns;
  /** Called with every contained failure. */
  readonly onFault: (error: unknown) => void;
}

/** Processor time for admitting a waiting operation into a new block at once. */
const ADMIT_MS = 15;

/** How long an operation with a future counter waits for the one before it. */
const PATIENCE_MS = 500;

export class Chain {
  readonly chainId: string;
  readonly #options: ChainOptions;
  readonly #store = new Store();
  readonly #history: History;
  readonly #rules: ChainRules;
  readonly #listeners = new Set<(block: Block) => void>();
  readonly #acceptedListeners = new Set<(accepted: Accepted) => void>();
  readonly #waitingRoom = new WaitingRoom(PATIENCE_MS);
  /** Simulations and other jobs that change nothing. */
  readonly trials: Trials;
  readonly #queue: OperationQueue;
  readonly #signatures: SignatureChecks;
  /** Valid operations for which the block under way has no gas left; strict chains only. */
  readonly #waiting = new Pending();
  #next: NextBlock;

  constructor(options: ChainOptions) {
    this.#options = options;
    this.#queue = new OperationQueue(options.turns);
    this.#signatures = new SignatureChecks(options.turns);
    this.trials = new Trials({
      strict: options.strict,
      turns: options.turns,
      signatures: this.#signatures,
      now: options.now,
      head: () => this.#store.at(this.head.level),
      next: () => this.#next,
    });
    const genesis = genesisBlock(options.now(), options.protocol);
    this.chainId = chainIdOfGenesis(genesis);
    this.#rules = {
      protocol: options.protocol,
      chainId: this.chainId,
      minBlockTime: options.minBlockTime,
      rollup: options.rollup,
      onFault: options.onFault,
    };
    this.#history = new History(genesis, options.historyBlocks);
    writeGenesis(this.#store, options.accounts);
    this.#next = this.#begin(genesis, options.now());
    // The activation block and one more, so that `head~2` exists from the start.
    this.bake();
    this.bake();
  }

  /** Starts the block on top of another. */
  #begin(predecessor: Block, timestamp: bigint): NextBlock {
    const { turns } = this.#options;
    return new NextBlock(this.#store.at(predecessor.level), predecessor, this.#rules, timestamp, (job, ms) =>
      turns.attempt(job, ms),
    );
  }

  get protocol(): Protocol {
    return this.#options.protocol;
  }

  get head(): Block {
    return this.#history.head;
  }

  get history(): History {
    return this.#history;
  }

  get pending(): readonly Accepted[] {
    const waiting = this.#waiting.all;
    return waiting.length === 0 ? this.#next.pending.all : [...this.#next.pending.all, ...waiting];
  }

  /** Whether an operation was accepted and is in no block yet. */
  isPending(hash: string): boolean {
    return this.#pendingBy((pending) => pending.has(hash));
  }

  /** Whether the next block has so much that it is made before its time, lest nobody else has room for an operation. */
  get isNextBlockFull(): boolean {
    return this.#next.pending.weight >= FULL_BYTES;
  }

  get nextBlock(): NextBlock {
    return this.#next;
  }

  /** State after a block of the history. */
  contextAt(block: Block): ContextReader {
    return readContext(this.#store.at(block.level));
  }

  /** State after the head. */
  get headContext(): ContextReader {
    return this.contextAt(this.head);
  }

  /** State with the accepted operations of the next block. */
  get nextContext(): ContextReader {
    return this.#next.context;
  }

  /** Raw state after a block of the history, to write on top of. It never changes. */
  stateAt(block: Block): StateReader {
    return this.#store.at(block.level);
  }

  /** Subscribes to new blocks. @returns a function that unsubscribes */
  onBlock(listener: (block: Block) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** State after the head, for `bakeState`. */
  copyState(): ReadonlyMap<string, unknown> {
    return this.#store.copy();
  }

  /**
   * Makes a block without operations whose state is the copy. The chain moves forward: levels, hashes and times are not
   * part of the state. Nothing may be pending.
   */
  bakeState(copy: ReadonlyMap<string, unknown>): Block {
    if (this.pending.length > 0) throw new Error("operations are pending");
    this.#next = this.#begin(this.head, this.#options.now()); // trials may be reading the current one
    for (const [key, value] of this.#store.differenceTo(copy)) this.#next.layer.set(key, value);
    clearInbox(this.#next.context); // the messages of that time were delivered long ago
    return this.bake();
  }

  /** Subscribes to operations accepted into the next block or waiting for a later one. @returns a function that unsubscribes */
  onAccepted(listener: (accepted: Accepted) => void): () => void {
    this.#acceptedListeners.add(listener);
    return () => this.#acceptedListeners.delete(listener);
  }

  /** Runs an action while no operation is being applied. */
  between(action: () => void): void {
    this.#queue.between(action);
  }

  /** Starts no long operation until the returned function is called: a block is about to be made. */
  holdLong(): () => void {
    return this.#queue.holdLong();
  }

  /** Makes a block of the pending operations. An operation that is being applied restarts on top of it. */
  bake(): Block {
    const predecessor = this.head;
    const now = this.#options.now();
    const { timestamp, writes, operations, messages } = this.#next.close(
      now > predecessor.timestamp ? now : predecessor.timestamp,
    );
    const bytes = operations.reduce((sum, operation) => sum + operation.bytes, 0);
    const block = makeBlock(predecessor, timestamp, operations, messages, bytes);
    const replaced = this.#store.commit(block.level, writes);
    for (const dropped of this.#history.push(block, bytes + replaced)) this.#store.forgetBefore(dropped + 1);
    this.#next = this.#begin(block, timestamp);
    this.#admitWaiting();
    this.#notify(this.#listeners, block);
    return block;
  }

  /** Notifies listeners. One that throws harms neither the chain nor the others. */
  #notify<T>(listeners: ReadonlySet<(news: T) => void>, news: T): void {
    for (const listener of listeners) {
      try {
        listener(news);
      } catch (error) {
        this.#options.onFault(error);
      }
    }
  }

  /**
   * Accepts a signed operation for the next block.
   * @returns its hash
   * @throws MalformedBytes, OperationRefused
   */
  async inject(bytes: Uint8Array, prefilter = true): Promise<string> {
    const operation = decodeOperation(bytes);
    const unknown = unknownPrimitive(this.protocol, operation.contents);
    if (unknown !== undefined) throw new MalformedBytes(`unknown primitive ${unknown}`);
    const { source, counter } = operation.contents[0];
    for (;;) {
      try {
        const hash = await withBls(() =>
          this.#signatures.before((check) =>
            this.#queue.add(() => this.#accept(operation, bytes, prefilter, check), bytes.length),
          ),
        );
        this.#waitingRoom.accepted(source, BigInt(operation.contents.at(-1)!.counter));
        return hash;
      } catch (error) {
        const isEarly =
          error instanceof OperationRefused && error.errors[0]?.id === "contract.counter_in_the_future";
        if (
          !isEarly ||
          this.#options.strict ||
          !(await this.#waitingRoom.waitFor(source, BigInt(counter) - 1n, bytes.length))
        )
          throw error;
      }
    }
  }

  *#accept(
    operation: Decoded,
    bytes: Uint8Array,
    prefilter: boolean,
    check: CheckSignature,
  ): Job<string | typeof STALE> {
    const hashBytes = blake2b256(bytes);
    const hash = encodeBase58("operationHash", hashBytes);
    if (this.isPending(hash)) return hash;
    this.#checkBranch(operation, hash);
    if (
      this.#next.frame.timestamp < this.#options.now() &&
      this.#next.pending.size + this.#waiting.size === 0
    )
      this.#next = this.#begin(this.head, this.#options.now());
    this.#checkConflict(operation, hash);
    validateOperation(this.#next.context, operation.contents, {
      protocol: this.protocol,
      signed: { unsigned: operation.unsigned, signature: operation.signature!, check },
      isSimulation: false,
    });
    if (prefilter) checkFees(operation, bytes.length);
    makePendingRoom(this.#next.pending, this.#waiting, operation, this.#options.strict);
    const accepted = { operation, hash, hashBytes };
    if (!(yield* this.#addToNext(accepted))) return STALE;
    this.#notify(this.#acceptedListeners, accepted);
    return hash;
  }

  /** Adds a valid operation to the next block. @returns false when another block became the next one meanwhile */
  *#addToNext(accepted: Accepted): Job<boolean> {
    const next = this.#next;
    if (!this.#fits(accepted.operation)) {
      this.#waiting.add(accepted);
      return true;
    }
    const applied = yield* next.apply(accepted);
    if (next !== this.#next) return false;
    this.#checkRoom(applied.layer);
    next.include(accepted, applied);
    this.#waiting.delete(accepted);
    return true;
  }

  /** @throws OperationRefused when the layer would enlarge a state that is full */
  #checkRoom(layer: Layer): void {
    const { growth } = layer;
    if (growth <= 0 || this.#store.weight + this.#next.growth + growth <= this.#options.maxStateBytes) return;
    const msg = "The state of this sandbox is full: restart it, or go back to a snapshot.";
    throw new OperationRefused([temporary("sandbox.state_full", { msg })]);
  }

  #pendingBy<T>(look: (pending: Pending) => T): T {
    return look(this.#next.pending) || look(this.#waiting);
  }

  /** Whether the operation and `more` gas fit into the next block; always true unless strict. */
  #fits(operation: Operation, more = 0n): boolean {
    if (!this.#options.strict) return true;
    return this.#next.pending.gas + more + gasOf(operation) <= this.protocol.maxGasPerBlock;
  }

  /** Admits operations that did not fit into the last block first, unless they are no longer valid. */
  #admitWaiting(): void {
    const { turns, strict } = this.#options;
    let isTimeUp = false;
    /** Gas of those that are admitted later. */
    let later = 0n;
    // Sorting by fees cannot reorder an account's operations: a strict chain has one of each.
    for (const accepted of strict ? this.#waiting.byFee : this.#waiting.all) {
      const { operation, hash } = accepted;
      try {
        this.#checkBranch(operation, hash);
        if (!this.#fits(operation, later)) continue; // nothing else is looked at: many may wait
        // Operations keep their order: after one that needs longer, the others wait too.
        isTimeUp ||= turns.attempt(this.#admit(accepted), ADMIT_MS) === undefined;
        if (!isTimeUp) continue;
        later += gasOf(operation);
        this.#admitLater(accepted);
      } catch (error) {
        this.#waiting.delete(accepted);
        this.#dropOrRetry(accepted, error);
      }
    }
  }

  *#admit(accepted: Accepted): Job<typeof STALE | undefined> {
    this.#checkBranch(accepted.operation, accepted.hash);
    validateOperation(this.#next.context, accepted.operation.contents, {
      protocol: this.protocol,
      signed: undefined,
      isSimulation: false,
    });
    return (yield* this.#addToNext(accepted)) ? undefined : STALE;
  }

  #admitLater(accepted: Accepted): void {
    this.#queue
      .add(() => this.#admit(accepted), 0)
      .catch((error: unknown) => {
        this.#waiting.delete(accepted);
        this.#dropOrRetry(accepted, error);
      });
  }

  #dropOrRetry(accepted: Accepted, error: unknown): void {
    if (error instanceof BlsNeeded) {
      this.#waiting.add(accepted); // goes into the block after this one
      void loadBls();
    } else if (!(error instanceof OperationRefused)) {
      this.#options.onFault(error);
    }
    // No longer valid: dropped, as from the mempool of a real node.
  }

  /** Checks that the branch is the hash of a recent block. */
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

  /** Conflicts: a pending operation of the same source when strict, otherwise only one with the same counter. */
  #checkConflict({ contents }: Decoded, hash: string): void {
    const { source, counter } = contents[0];
    const conflicting = this.#pendingBy((pending) =>
      this.#options.strict ? pending.ofSource(source) : pending.withCounter(source, counter),
    );
    if (!conflicting) return;
    throw conflict(conflicting.operation, hash);
  }
}
