// The rollup operator: executes outbox messages on layer 1 as soon as they are executable, by ordinary signed operations,
// and puts external messages from the batcher into the inbox.
import type { Log } from "../../parts/log.ts";
import { ROLLUP_OPERATOR } from "../../protocol/constants.ts";
import { reasonOf } from "../../protocol/errors.ts";
import { parseSecretKey } from "../../protocol/secret-key.ts";
import type { Address } from "../../tezos/address.ts";
import type { Content, Manager } from "../../tezos/content.ts";
import { signBytes } from "../../tezos/keys.ts";
import { forgeOperation, operationHash, signedBytes, withWatermark } from "../../tezos/operation-codec.ts";
import { OperationRefused } from "../operations/operation-refused.ts";
import type { Metadata } from "../operations/receipt.ts";
import type { ContextReader } from "../state/context.ts";
import { isExecuted } from "../state/executed.ts";
import type { Outbox, OutboxMessage } from "./outbox.ts";

/** An operation of a block, with its receipts. */
export interface IncludedOperation {
  readonly hash: string;
  readonly contents: readonly { readonly metadata: Metadata }[];
}

/** The chain as the operator sees it. */
export interface OperatedChain {
  readonly head: { readonly level: number; readonly hash: string };
  /** State after the head. */
  readonly headContext: ContextReader;
  /** State with the accepted operations of the next block. */
  readonly nextContext: ContextReader;
  /** Injects a signed operation. @returns its hash @throws OperationRefused */
  inject(bytes: Uint8Array, prefilter: boolean): Promise<string>;
}

export interface OperatorOptions {
  readonly rollup: Address;
  readonly autoExecute: boolean;
  /** Blocks to wait after a message becomes executable. */
  readonly delayBlocks: number;
  readonly strict: boolean;
  readonly log: Log;
  /** Called after an operation was injected, so that a block is made. */
  readonly onInjected: (hash: string) => void;
}

const FEE = 20_000n;
const GAS = 100_000n;
const STORAGE = 10_000n;

export class Operator {
  readonly #chain: OperatedChain;
  readonly #outbox: Outbox;
  readonly #options: OperatorOptions;
  /** Replaced as a whole on restore: an execution in flight then updates the old set. */
  #waiting: Set<OutboxMessage> = new Set();
  /** Executions that are in no block yet, by the hash of the operation. */
  #injected = new Map<string, OutboxMessage>();
  #isBusy = false;
  #isRequested = false;

  constructor(chain: OperatedChain, outbox: Outbox, options: OperatorOptions) {
    this.#chain = chain;
    this.#outbox = outbox;
    this.#options = options;
  }

  /** Adds a message to execute once it is executable. */
  watch(message: OutboxMessage): void {
    if (!this.#options.autoExecute) return;
    this.#waiting.add(message);
    void this.run();
  }

  /** Messages not executed yet. */
  copy(): ReadonlySet<OutboxMessage> {
    return new Set(this.#waiting);
  }

  /** Replaces the pending messages by those of a snapshot. */
  restore(copy: ReadonlySet<OutboxMessage>): void {
    this.#waiting = new Set(copy);
    this.#injected.clear();
  }

  /** Looks at the outcome of executions in a block. What fails takes nothing from layer 1 and gives nothing back. */
  included(operations: readonly IncludedOperation[]): void {
    for (const { hash, contents } of operations) {
      const message = this.#injected.get(hash);
      if (message === undefined) continue;
      this.#injected.delete(hash);
      const [failed] = contents.flatMap(({ metadata }) => failuresIn(metadata));
      if (failed === undefined) continue;
      const { level: outbox_level, index: message_index, transactions } = message;
      this.#options.log.warn(
        { operation: hash, outbox_level, message_index, to: transactions[0]?.destination, errors: failed },
        "layer 1 does not execute a withdrawal: what it would pay stays with the bridge, and anyone may execute it again",
      );
    }
  }

  /** Executes the executable messages. Called after each block. */
  async run(): Promise<void> {
    this.#isRequested = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      // Check once more: a block may have arrived meanwhile, and the next may be far off.
      while (this.#isRequested) {
        this.#isRequested = false;
        await this.#executeAll();
      }
    } catch (error) {
      this.#options.log.error({ reason: reasonOf(error) }, "withdrawals could not be executed");
    } finally {
      this.#isBusy = false;
    }
  }

  async #executeAll(): Promise<void> {
    for (const message of [...this.#waiting]) {
      if (!(await this.#execute(message)) || this.#options.strict) break;
    }
  }

  /** @returns false when no further operation can be injected for now */
  async #execute(message: OutboxMessage): Promise<boolean> {
    const head = this.#chain.head.level;
    const waiting = this.#waiting;
    if (!waiting.has(message)) return true; // removed by a restore
    if (this.#outbox.executableFrom(message.level) + this.#options.delayBlocks > head) return true;
    if (isExecuted(this.#chain.headContext, message.level, message.index)) {
      waiting.delete(message);
      return true;
    }
    const { commitment, proof } = this.#outbox.proofOf(message.level, message.index, head)!; // executable, so it exists
    const signed = this.#sign((manager) => ({
      kind: "smart_rollup_execute_outbox_message",
      ...manager,
      rollup: this.#options.rollup,
      cemented_commitment: commitment,
      output_proof: proof,
    }));
    this.#injected.set(signed.hash, message); // before: a block may have it as soon as it is injected
    try {
      await this.#inject(signed.bytes);
    } catch (error) {
      this.#injected.delete(signed.hash);
      if (!(error instanceof OperationRefused)) throw error;
      this.#options.log.debug({ reason: error.message }, "execution of an outbox message has to wait");
      return false;
    }
    // One attempt only: a receiver that refuses today refuses tomorrow, and the message can be executed by hand.
    waiting.delete(message);
    return true;
  }

  /** Signs and injects an operation of the operator. @throws OperationRefused */
  async inject(make: (manager: Manager) => Content): Promise<string> {
    const { bytes, hash } = this.#sign(make);
    await this.#inject(bytes);
    return hash;
  }

  #sign(make: (manager: Manager) => Content): { readonly bytes: Uint8Array; readonly hash: string } {
    const key = parseSecretKey(ROLLUP_OPERATOR.secretKey);
    const source = ROLLUP_OPERATOR.address;
    const counter = (this.#chain.nextContext.account(source)?.counter ?? 0n) + 1n;
    const content = make({
      source,
      fee: FEE.toString(),
      counter: counter.toString(),
      gas_limit: GAS.toString(),
      storage_limit: STORAGE.toString(),
    });
    const unsigned = forgeOperation(this.#chain.head.hash, [content]);
    const signature = signBytes(key, withWatermark(unsigned));
    const bytes = signedBytes(unsigned, signature);
    return { bytes, hash: operationHash(bytes) };
  }

  async #inject(bytes: Uint8Array): Promise<void> {
    this.#options.onInjected(await this.#chain.inject(bytes, false));
  }
}

/** Errors of the results that failed: of the execution itself, or of a call that it made. */
function failuresIn({
  operation_result: own,
  internal_operation_results: internal = [],
}: Metadata): readonly object[] {
  return [own, ...internal.map(({ result }) => result)].flatMap((result) =>
    "errors" in result && result.errors ? [result.errors] : [],
  );
}
