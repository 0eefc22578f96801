// A block: header, operations with receipts, rollup messages; and its hash.
// Source of the header layout: Octez, `block_header_repr.ml` and the shell header.
import { decodeBase58, encodeBase58 } from "../../protocol/base58.ts";
import { blake2b256 } from "../../protocol/blake2b.ts";
import { toHex } from "../../protocol/hex.ts";
import type { AppliedContent } from "../operations/apply-operation.ts";
import { ByteWriter } from "../michelson/byte-writer.ts";

export interface IncludedOperation {
  readonly hash: string;
  readonly branch: string;
  readonly signature: string;
  readonly contents: readonly AppliedContent[];
}

export interface Block {
  readonly level: number;
  readonly hash: string;
  readonly predecessor: string;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
  readonly operationsHash: string;
  readonly context: string;
  readonly payloadHash: string;
  readonly operations: readonly IncludedOperation[];
  /** Messages that the operations put into the rollup inbox, as hex. */
  readonly messages: readonly string[];
}

/** Signature of a block: nobody bakes by stake here, so it is all zero. */
const NO_SIGNATURE = new Uint8Array(64);
export const BLOCK_SIGNATURE = encodeBase58("sig", NO_SIGNATURE);
export const PROOF_OF_WORK_NONCE = "0000000000000000";

const genesisSeed = "functez sandbox genesis";

/** The block at level 0. Its hash, and so the chain id, is our own: never that of a public network. */
export function genesisBlock(timestamp: bigint): Block {
  const hash = encodeBase58("blockHash", blake2b256(genesisSeed));
  return {
    level: 0,
    hash,
    predecessor: hash,
    timestamp,
    operationsHash: encodeBase58("operationListListHash", blake2b256(new Uint8Array())),
    context: encodeBase58("contextHash", blake2b256(genesisSeed)),
    payloadHash: encodeBase58("blockPayloadHash", new Uint8Array(32)),
    operations: [],
    messages: [],
  };
}

/** Chain id: the first four bytes of a hash of the genesis block's hash. */
export function chainIdOfGenesis(genesis: Block): string {
  return encodeBase58("chainId", blake2b256(decodeBase58("blockHash", genesis.hash)!).subarray(0, 4));
}

const EMPTY_OPERATIONS = blake2b256(new Uint8Array());

/** Puts a block on top of another. */
export function makeBlock(predecessor: Block, timestamp: bigint, operations: readonly IncludedOperation[], messages: readonly string[]): Block {
  const hashes = operations.map((operation) => Buffer.from(decodeBase58("operationHash", operation.hash)!));
  const operationsDigest = hashes.length === 0 ? EMPTY_OPERATIONS : blake2b256(Buffer.concat(hashes));
  const level = predecessor.level + 1;
  const context = blake2b256(new ByteWriter().uint32(level).bytes(operationsDigest).finish());
  const unhashed = {
    level,
    predecessor: predecessor.hash,
    timestamp,
    operationsHash: encodeBase58("operationListListHash", operationsDigest),
    context: encodeBase58("contextHash", context),
    payloadHash: encodeBase58("blockPayloadHash", operationsDigest),
    operations,
    messages,
  };
  return { ...unhashed, hash: encodeBase58("blockHash", blake2b256(headerBytes(unhashed))) };
}

/** Fitness of recent protocols: version, level, locked round, minus previous round, round. */
export function fitnessOf(level: number): readonly string[] {
  return ["02", level.toString(16).padStart(8, "0"), "", "ffffffff", "00000000"];
}

/** `proto`: 0 for genesis, 1 from the first block of the protocol on. */
export const protoOf = (level: number): number => (level === 0 ? 0 : 1);

type Unhashed = Omit<Block, "hash">;

function headerBytes(block: Unhashed): Uint8Array {
  const writer = new ByteWriter().uint32(block.level).byte(protoOf(block.level));
  writer.bytes(decodeBase58("blockHash", block.predecessor)!);
  const timestamp = new Uint8Array(8);
  new DataView(timestamp.buffer).setBigInt64(0, block.timestamp);
  writer.bytes(timestamp).byte(4).bytes(decodeBase58("operationListListHash", block.operationsHash)!);
  writer.measured(() => fitnessOf(block.level).forEach((part) => writer.sized(Buffer.from(part, "hex"))));
  writer.bytes(decodeBase58("contextHash", block.context)!);
  return writer.bytes(protocolData(block)).finish();
}

function protocolData(block: Pick<Block, "payloadHash">): Uint8Array {
  const writer = new ByteWriter().bytes(decodeBase58("blockPayloadHash", block.payloadHash)!);
  // Round, proof of work, no seed nonce, both votes "pass", signature.
  writer.uint32(0).bytes(Buffer.from(PROOF_OF_WORK_NONCE, "hex")).byte(0).byte(10);
  return writer.bytes(NO_SIGNATURE).finish();
}

/** The part of the header that belongs to the protocol, as hex. */
export const protocolDataHex = (block: Block): string => toHex(protocolData(block));
