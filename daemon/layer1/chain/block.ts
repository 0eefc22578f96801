// A block: header, operations with receipts, rollup messages, and its hash.
// Source of the header layout: Octez, `block_header_repr.ml` and the shell header.
import { decodeBase58, encodeBase58 } from "../../tezos/base58.ts";
import { blake2b256 } from "../../tezos/blake2b.ts";
import { ByteWriter } from "../../tezos/byte-writer.ts";
import { toHex } from "../../tezos/hex.ts";
import type { Protocol } from "../../tezos/protocols.ts";
import type { AppliedContent } from "../operations/apply-operation.ts";

export interface IncludedOperation {
  readonly hash: string;
  readonly branch: string;
  /** Raw bytes. */
  readonly signature: Uint8Array;
  readonly contents: readonly AppliedContent[];
  /** JSON of the contents with their receipts, as in RPCs. */
  readonly text: string;
}

export interface Block {
  /** Its protocol; genesis names the one that follows it. */
  readonly protocol: Protocol;
  readonly level: number;
  readonly hash: string;
  readonly predecessor: string;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
  /** Digest of the operations; hashes that depend on it are computed on demand. */
  readonly digest: Uint8Array;
  readonly operations: readonly IncludedOperation[];
  /** Bytes, about, of the operations with their receipts. */
  readonly operationBytes: number;
  /** Messages that the operations put into the rollup inbox, as hex. */
  readonly messages: readonly string[];
}

/** Nobody bakes here, so the signature of a block is all zero. */
const NO_SIGNATURE = new Uint8Array(64);
export const BLOCK_SIGNATURE = encodeBase58("sig", NO_SIGNATURE);
export const PROOF_OF_WORK_NONCE = "0000000000000000";

const EMPTY_OPERATIONS = blake2b256(new Uint8Array());

const genesisSeed = "functez sandbox genesis";

/** The block at level 0. Its hash, and with it the chain id, is our own and never that of a public network. */
export function genesisBlock(timestamp: bigint, protocol: Protocol): Block {
  const hash = encodeBase58("blockHash", blake2b256(genesisSeed));
  return {
    protocol,
    level: 0,
    hash,
    predecessor: hash,
    timestamp,
    digest: EMPTY_OPERATIONS,
    operations: [],
    operationBytes: 0,
    messages: [],
  };
}

/** Chain id: the first four bytes of the hash of the genesis hash. */
export function chainIdOfGenesis(genesis: Block): string {
  return encodeBase58("chainId", blake2b256(decodeBase58("blockHash", genesis.hash)!).subarray(0, 4));
}

/** Makes a block on top of another. */
export function makeBlock(
  predecessor: Block,
  timestamp: bigint,
  operations: readonly IncludedOperation[],
  messages: readonly string[],
  operationBytes: number,
): Block {
  const hashes = operations.map((operation) => Buffer.from(decodeBase58("operationHash", operation.hash)!));
  const operationsDigest = hashes.length === 0 ? EMPTY_OPERATIONS : blake2b256(Buffer.concat(hashes));
  const unhashed = {
    protocol: predecessor.protocol,
    level: predecessor.level + 1,
    predecessor: predecessor.hash,
    timestamp,
    digest: operationsDigest,
    operations,
    operationBytes,
    messages,
  };
  return {
    ...unhashed,
    hash: encodeBase58("blockHash", blake2b256(headerBytes(unhashed, hashBytesOf(predecessor)))),
  };
}

/** Raw hash of a block. */
export function hashBytesOf(block: Block): Uint8Array {
  return decodeBase58("blockHash", block.hash)!;
}

export const operationsHashOf = (block: Block): string => encodeBase58("operationListListHash", block.digest);
export const payloadHashOf = (block: Block): string => encodeBase58("blockPayloadHash", block.digest);
/** There is no Merkle tree of the state; the hash covers level and operations. */
export const contextHashOf = (block: Unhashed): string => encodeBase58("contextHash", contextDigest(block));

function contextDigest({ level, digest }: Unhashed): Uint8Array {
  const bytes = digest.slice();
  new DataView(bytes.buffer).setUint32(0, level);
  return bytes;
}

/** Fitness of recent protocols: version, level, locked round, minus previous round, round. */
export function fitnessOf(level: number): readonly string[] {
  return ["02", level.toString(16).padStart(8, "0"), "", "ffffffff", "00000000"];
}

/** `proto`: 0 for genesis, 1 from the protocol's first block on. */
export const protoOf = (level: number): number => (level === 0 ? 0 : 1);

type Unhashed = Omit<Block, "hash">;

/** The whole header, as hex. */
export const headerHex = (block: Block): string =>
  toHex(headerBytes(block, decodeBase58("blockHash", block.predecessor)!));

function headerBytes(block: Unhashed, predecessor: Uint8Array): Uint8Array {
  const writer = new ByteWriter().uint32(block.level).byte(protoOf(block.level));
  writer.bytes(predecessor);
  const timestamp = new Uint8Array(8);
  new DataView(timestamp.buffer).setBigInt64(0, block.timestamp);
  writer.bytes(timestamp).byte(4).bytes(block.digest);
  writer.measured(() => fitnessOf(block.level).forEach((part) => writer.sized(Buffer.from(part, "hex"))));
  writer.bytes(contextDigest(block));
  return writer.bytes(protocolData(block)).finish();
}

function protocolData(block: Pick<Block, "digest" | "protocol">): Uint8Array {
  const writer = new ByteWriter().bytes(block.digest);
  // Round, proof of work, no seed nonce, votes of "pass", signature.
  const votes = block.protocol.votesForIssuance ? 10 : 2;
  writer.uint32(0).bytes(Buffer.from(PROOF_OF_WORK_NONCE, "hex")).byte(0).byte(votes);
  return writer.bytes(NO_SIGNATURE).finish();
}

/** The protocol's part of the header, as hex. */
export const protocolDataHex = (block: Block): string => toHex(protocolData(block));
