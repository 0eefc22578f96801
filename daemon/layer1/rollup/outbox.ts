// The outbox, and the commitments that make its messages executable. A commitment covers the levels of one period and is
// cemented after the challenge window. It depends on levels only, for there is one honest operator and nobody to refute
// it.
import type { Address } from "../../tezos/address.ts";
import { encodeBase58 } from "../../tezos/base58.ts";
import { blake2b256 } from "../../tezos/blake2b.ts";
import { ByteReader, MalformedBytes } from "../../tezos/byte-reader.ts";
import { ByteWriter } from "../../tezos/byte-writer.ts";
import { fromHex, toHex } from "../../tezos/hex.ts";
import { type OutboxTransaction, decodeOutboxMessage } from "../../tezos/outbox-message.ts";
import { MAX_ACTIVE_OUTBOX_LEVELS, MAX_CEMENTED_COMMITMENTS } from "../../tezos/parameters.ts";
import { MichelsonError, permanent, temporary } from "../michelson/michelson-error.ts";
import type { OutboxBatch } from "../operations/execution.ts";
import type { ContextReader } from "../state/context.ts";
import { isExecuted } from "../state/executed.ts";

export interface OutboxOptions {
  readonly rollup: Address;
  readonly commitmentPeriodBlocks: number;
  readonly challengeWindowBlocks: number;
}

export interface OutboxMessage {
  readonly level: number;
  readonly index: number;
  readonly transactions: readonly OutboxTransaction[];
  /** The sender's id of the message. */
  readonly id?: string | undefined;
}

export interface OutboxCopy {
  readonly byLevel: ReadonlyMap<number, readonly OutboxMessage[]>;
  readonly byId: ReadonlyMap<string, OutboxMessage>;
  readonly forgotten: ReadonlyMap<number, number>;
}

/** Our proofs: this text, then level and index (4 bytes each). A real proof is an opaque blob, too. */
const PROOF_MAGIC = Buffer.from("functez outbox proof", "latin1");

export class Outbox {
  readonly #options: OutboxOptions;
  #byLevel = new Map<number, readonly OutboxMessage[]>();
  #byId = new Map<string, OutboxMessage>();
  /** Number of messages by level, for levels whose messages were all executed and then dropped. */
  #forgotten = new Map<number, number>();

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** A copy of all messages. */
  copy(): OutboxCopy {
    return {
      byLevel: new Map(this.#byLevel),
      byId: new Map(this.#byId),
      forgotten: new Map(this.#forgotten),
    };
  }

  /** Drops what came after the copy, including ids: the same operation may come again. */
  restore({ byLevel, byId, forgotten }: OutboxCopy): void {
    this.#byLevel = new Map(byLevel);
    this.#byId = new Map(byId);
    this.#forgotten = new Map(forgotten);
  }

  /**
   * Adds a message of a level. Adding an `id` again returns the existing message.
   * @throws MalformedBytes when the bytes are not an outbox message
   */
  add(level: number, bytes: Uint8Array, id: string | undefined): OutboxMessage {
    const existing = id === undefined ? undefined : this.#byId.get(id);
    if (existing) return existing;
    const messages = this.#byLevel.get(level) ?? [];
    const message: OutboxMessage = {
      level,
      index: messages.length,
      transactions: decodeOutboxMessage(bytes),
      ...(id !== undefined && { id }),
    };
    this.#byLevel.set(level, [...messages, message]);
    if (id !== undefined) this.#byId.set(id, message);
    return message;
  }

  /**
   * Drops useless messages: expired ones, and levels below the history whose messages were all executed. Of the latter the
   * count remains, so that a repeated execution fails with the right error.
   */
  prune(head: number, oldestKept: number, context: ContextReader): void {
    for (const [level, messages] of this.#byLevel) {
      const hasExpired = head - level > MAX_ACTIVE_OUTBOX_LEVELS;
      const isDone = level < oldestKept && messages.every(({ index }) => isExecuted(context, level, index));
      if (!hasExpired && !isDone) continue;
      this.#byLevel.delete(level);
      for (const { id } of messages) if (id !== undefined) this.#byId.delete(id);
      if (!hasExpired) this.#forgotten.set(level, messages.length);
    }
    for (const level of this.#forgotten.keys())
      if (head - level > MAX_ACTIVE_OUTBOX_LEVELS) this.#forgotten.delete(level);
  }

  at(level: number): readonly OutboxMessage[] {
    return this.#byLevel.get(level) ?? [];
  }

  /** All levels that have messages. */
  levels(): Iterable<readonly [number, readonly OutboxMessage[]]> {
    return this.#byLevel;
  }

  /** Level of the last cemented commitment when the head is at `head`; 0 if there is none. */
  lastCemented(head: number): number {
    return this.#periodEndBefore(head - this.#options.challengeWindowBlocks);
  }

  /** Level of the last published commitment. */
  lastPublished(head: number): number {
    return this.#periodEndBefore(head);
  }

  #periodEndBefore(level: number): number {
    const period = this.#options.commitmentPeriodBlocks;
    return level <= 0 ? 0 : level - (level % period);
  }

  /** Level from which a message of `level` is executable. */
  executableFrom(level: number): number {
    const period = this.#options.commitmentPeriodBlocks;
    return Math.ceil(level / period) * period + this.#options.challengeWindowBlocks;
  }

  /** Hash of the commitment at the end of a period. */
  commitmentHash(level: number): string {
    const seed = new ByteWriter()
      .bytes(Buffer.from(`commitment of ${this.#options.rollup}`, "latin1"))
      .uint32(level);
    return encodeBase58("src1", blake2b256(seed.finish()));
  }

  /** Proof of a message for layer 1 and its commitment; undefined before it is cemented. */
  proofOf(
    level: number,
    index: number,
    head: number,
  ): { readonly commitment: string; readonly proof: string } | undefined {
    if (!this.at(level)[index] || this.executableFrom(level) > head) return undefined;
    const proof = new ByteWriter().bytes(PROOF_MAGIC).uint32(level).uint32(index).finish();
    return { commitment: this.commitmentHash(this.lastCemented(head)), proof: toHex(proof) };
  }

  /** Layer 1's check of an execution at a block level. @returns the batch to run @throws MichelsonError */
  verify(blockLevel: number, commitment: string, proof: string): OutboxBatch {
    const { level, index } = readProof(proof);
    const head = blockLevel - 1;
    const committed = this.#cementedLevel(commitment, head);
    if (committed === undefined)
      throw new MichelsonError(temporary("smart_rollup_unknown_commitment", { commitment }));
    if (head - level > MAX_ACTIVE_OUTBOX_LEVELS)
      throw new MichelsonError(temporary("smart_rollup_outbox_level_expired"));
    if (level > committed) throw new MichelsonError(permanent("smart_rollup_invalid_output_proof"));
    const message = this.at(level)[index];
    if (!message && index < (this.#forgotten.get(level) ?? 0))
      return { outboxLevel: level, index, transactions: [] };
    if (!message) throw new MichelsonError(permanent("smart_rollup_invalid_outbox_message_index"));
    return { outboxLevel: level, index, transactions: message.transactions };
  }

  #cementedLevel(commitment: string, head: number): number | undefined {
    let level = this.lastCemented(head);
    for (
      let i = 0;
      i < MAX_CEMENTED_COMMITMENTS && level > 0;
      i++, level -= this.#options.commitmentPeriodBlocks
    ) {
      if (this.commitmentHash(level) === commitment) return level;
    }
    return undefined;
  }
}

function readProof(proof: string): { readonly level: number; readonly index: number } {
  try {
    const reader = new ByteReader(fromHex(proof) ?? new Uint8Array());
    if (!PROOF_MAGIC.equals(reader.take(PROOF_MAGIC.length))) throw new MalformedBytes("not our proof");
    const read = { level: reader.uint32(), index: reader.uint32() };
    reader.expectEnd();
    return read;
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    throw new MichelsonError(permanent("smart_rollup_invalid_output_proof"));
  }
}
