// The surroundings of an operation while it is applied: state, block, gas, counters.
import { type Address, encodeAddress } from "../../tezos/address.ts";
import { blake2b160 } from "../../tezos/blake2b.ts";
import { type Micheline, extentOf } from "../../tezos/micheline.ts";
import type { OutboxTransaction } from "../../tezos/outbox-message.ts";
import type { Protocol } from "../../tezos/protocols.ts";
import type { GasMeter } from "../michelson/gas.ts";
import { MichelsonError, temporary } from "../michelson/michelson-error.ts";
import type { Type } from "../michelson/type.ts";
import type { Context } from "../state/context.ts";

/** Milligas of any manager operation before its effects. */
export const MANAGER_GAS = 100_000;

/** The block that the operation goes into, and the constant rules of the chain. */
export interface BlockFrame {
  readonly level: number;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly protocol: Protocol;
  readonly chainId: string;
  /** Seconds between blocks, as scripts see it. */
  readonly minBlockTime: bigint;
  readonly rollup: RollupRules;
  /** Receives unexpected exceptions; the operation fails and the chain continues. */
  onFault(error: unknown): void;
}

/** What operations need to know of the rollup. */
export interface RollupRules {
  readonly address: Address;
  readonly parameter: () => Type;
  /**
   * Transactions of an outbox message that is executable now.
   * @throws MichelsonError when proof, commitment or index are wrong
   */
  outboxMessage(level: number, commitment: string, proof: string): OutboxBatch;
}

export interface OutboxBatch {
  readonly outboxLevel: number;
  readonly index: number;
  readonly transactions: readonly OutboxTransaction[];
}

/** Counters shared by the contents of one operation. */
export interface OperationCounters {
  nonce: number;
  /** Nonces of the internal operations applied so far: a script may emit a copy of one, and none is applied twice. */
  readonly appliedNonces: Set<number>;
  originations: number;
  /** Big maps handed on in arguments so far; their ids count down from -1. They end with the operation. */
  temporaryBigMaps: number;
  /** Bytes of expressions in its receipts so far. */
  receiptBytes: number;
  /** Addresses indexed so far. As in the protocol, each receipt of a call lists all of them. */
  readonly numbered: { readonly address: string; readonly index: string }[];
  /** Whether one of its scripts has read the time of the block. */
  readsTime: boolean;
}

export const newCounters = (): OperationCounters => ({
  nonce: 0,
  appliedNonces: new Set(),
  originations: 0,
  temporaryBigMaps: 0,
  receiptBytes: 0,
  numbered: [],
  readsTime: false,
});

/**
 * Bytes of expressions in the receipts of one operation. They stay in the block permanently, and every client that follows
 * the chain reads them.
 */
const MAX_RECEIPT_BYTES = 4_194_304;

/** Counts an expression in a receipt. @throws MichelsonError sandbox.receipt_too_large */
export const countInReceipt = (execution: Execution, expression: Micheline): void =>
  countBytesInReceipt(execution, extentOf(expression).bytes);

/** Counts what is not an expression. @throws MichelsonError sandbox.receipt_too_large */
export function countBytesInReceipt({ counters }: Execution, bytes: number): void {
  counters.receiptBytes += bytes;
  if (counters.receiptBytes > MAX_RECEIPT_BYTES)
    throw new MichelsonError(temporary("sandbox.receipt_too_large"));
}

export interface Execution {
  readonly context: Context;
  readonly block: BlockFrame;
  readonly operationHash: Uint8Array;
  /** Signer: pays storage, and is SOURCE for scripts. */
  readonly payer: Address;
  readonly gas: GasMeter;
  /** Milligas of the operation's signature, charged to its first content. */
  readonly signatureGas: number;
  readonly counters: OperationCounters;
  /** Whether the run is to be traced: what it reads is checked with that in mind. */
  readonly isTraced?: boolean;
  /** Bytes of storage that this content may still pay for. */
  readonly storageLeft: { bytes: bigint };
}

/** Seed of the next address that the operation originates. Rule: Octez `origination_nonce.ml`. */
export function nextNonceBytes(execution: Execution): Uint8Array {
  const nonce = new Uint8Array(36);
  nonce.set(execution.operationHash);
  new DataView(nonce.buffer).setInt32(32, execution.counters.originations++);
  return nonce;
}

/** Address of the next contract that the operation originates. */
export const nextContract = (execution: Execution): Address =>
  encodeAddress("KT1", blake2b160(nextNonceBytes(execution)));
