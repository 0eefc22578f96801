// The outbox and the commitments that make its messages executable. A commitment covers the levels of one
// period and is cemented when the challenge window has passed; it depends on levels only, since there is one
// honest operator and nobody to refute it.
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
  /** The sender's own name for the message. */
  readonly id?: string | undefined;
}

export interface OutboxCopy {
  readonly byLevel: ReadonlyMap<number, readonly OutboxMessage[]>;
  readonly byId: ReadonlyMap<string, OutboxMessage>;
  readonly forgotten: ReadonlyMap<number, number>;
}

/** A proof of ours: this text, then level and index (4 bytes each). A real proof is an opaque blob, too. */
const PROOF_MAGIC = Buffer.from("functez outbox proof", "latin1");

export class Outbox {
  readonly #options: OutboxOptions;
  #byLevel = new Map<number, readonly OutboxMessage[]>();
  #byId = new Map<string, OutboxMessage>();
  /** By level, when all its messages were executed and forgotten: how many they were. */
  #forgotten = new Map<number, number>();

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** All messages as they are now. */
  copy(): OutboxCopy {
    return {
      byLevel: new Map(this.#byLevel),
      byId: new Map(this.#byId),
      forgotten: new Map(this.#forgotten),
    };
  }

  /** Forgets what came after the copy, also the ids: the same operation may come again. */
  restore({ byLevel, byId, forgotten }: OutboxCopy): void {
    this.#byLevel = new Map(byLevel);
    this.#byId = new Map(byId);
    this.#forgotten = new Map(forgotten);
  }

  /**
   * Adds a message of a level. The same `id` again adds nothing and gives the message that is there.
   * @throws MalformedBytes when the bytes are no outbox message
   */
  add(level: number, bytes: Uint8Array, id: string | undefined): OutboxMessage {
    const known = id === undefined ? undefined : this.#byId.get(id);
    if (known) return known;
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
   * Forgets what nobody can use any more: messages that expired, and levels older than the kept history whose
   * messages were all executed. Of the latter the number remains, so that another execution fails as it should.
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

  /** Level of the last commitment that is cemented when the head is at `head`; 0 when none is. */
  lastCemented(head: number): number {
    return this.#periodEndBefore(head - this.#options.challengeWindowBlocks);
  }

  /** Level of the last commitment that is published. */
  lastPublished(head: number): number {
    return this.#periodEndBefore(head);
  }

  #periodEndBefore(level: number): number {
    const period = this.#options.commitmentPeriodBlocks;
    return level <= 0 ? 0 : level - (level % period);
  }

  /** Level from which on a message of `level` can be executed. */
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

  /** Proof of a message for layer 1, with the commitment to give with it; undefined while not cemented. */
  proofOf(
    level: number,
    index: number,
    head: number,
  ): { readonly commitment: string; readonly proof: string } | undefined {
    if (!this.at(level)[index] || this.executableFrom(level) > head) return undefined;
    const proof = new ByteWriter().bytes(PROOF_MAGIC).uint32(level).uint32(index).finish();
    return { commitment: this.commitmentHash(this.lastCemented(head)), proof: toHex(proof) };
  }

  /** What layer 1 finds when it checks an execution at a block level. @throws MichelsonError */
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
