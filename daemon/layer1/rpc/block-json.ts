// JSON of blocks, headers and operations for the RPC.
import { NULL_ADDRESS, signatureOf } from "../../tezos/address.ts";
import { BLOCKS_PER_CYCLE, MAX_OPERATION_BYTES, OPERATION_TTL } from "../../tezos/parameters.ts";
import {
  BLOCK_SIGNATURE,
  type Block,
  type IncludedOperation,
  PROOF_OF_WORK_NONCE,
  contextHashOf,
  fitnessOf,
  operationsHashOf,
  payloadHashOf,
  protoOf,
  protocolDataHex,
} from "../chain/block.ts";
import { cycleOf } from "../operations/cycles.ts";

export const GENESIS_PROTOCOL = "ProtoGenesisGenesisGenesisGenesisGenesisGenesk612im";

export const timestampText = (seconds: bigint): string =>
  new Date(Number(seconds) * 1000).toISOString().replace(".000Z", "Z");

/** Protocols of a block and of its successor. */
export function protocolsOf(block: Block): { readonly protocol: string; readonly next_protocol: string } {
  const { hash } = block.protocol;
  return { protocol: block.level === 0 ? GENESIS_PROTOCOL : hash, next_protocol: hash };
}

export function shellHeader(block: Block): object {
  return {
    level: block.level,
    proto: protoOf(block.level),
    predecessor: block.predecessor,
    timestamp: timestampText(block.timestamp),
    validation_pass: block.level === 0 ? 0 : 4,
    operations_hash: operationsHashOf(block),
    fitness: block.level === 0 ? [] : fitnessOf(block.level),
    context: contextHashOf(block),
  };
}

/** The protocol's part of a header. */
export function protocolHeader(block: Block): object {
  return {
    payload_hash: payloadHashOf(block),
    payload_round: 0,
    proof_of_work_nonce: PROOF_OF_WORK_NONCE,
    liquidity_baking_toggle_vote: "pass",
    ...(block.protocol.votesForIssuance && { adaptive_issuance_vote: "pass" }),
    signature: BLOCK_SIGNATURE,
  };
}

const header = (block: Block): object => ({ ...shellHeader(block), ...protocolHeader(block) });

export function headerJson(block: Block, chainId: string): object {
  return { protocol: protocolsOf(block).protocol, chain_id: chainId, hash: block.hash, ...header(block) };
}

/** One item of `/monitor/heads`. */
export const monitorJson = (block: Block): object => ({
  hash: block.hash,
  ...shellHeader(block),
  protocol_data: protocolDataHex(block),
});

export function metadataJson(block: Block): object {
  const { level } = block;
  const position = Math.max(0, level - 1);
  const levelInfo = {
    level,
    level_position: position,
    cycle: cycleOf(level),
    cycle_position: position % BLOCKS_PER_CYCLE,
    expected_commitment: false,
  };
  return {
    ...protocolsOf(block),
    test_chain_status: { status: "not_running" },
    max_operations_ttl: OPERATION_TTL,
    max_operation_data_length: MAX_OPERATION_BYTES,
    max_block_header_length: 289,
    max_operation_list_length: [
      { max_size: 4194304, max_op: 2048 },
      { max_size: 32768 },
      { max_size: 135168, max_op: 132 },
      { max_size: 524288 },
    ],
    // Nobody bakes.
    proposer: NULL_ADDRESS,
    baker: NULL_ADDRESS,
    level_info: levelInfo,
    voting_period_info: {
      voting_period: {
        index: Math.floor(position / BLOCKS_PER_CYCLE),
        kind: "proposal",
        start_position: position - (position % BLOCKS_PER_CYCLE),
      },
      position: position % BLOCKS_PER_CYCLE,
      remaining: BLOCKS_PER_CYCLE - 1 - (position % BLOCKS_PER_CYCLE),
    },
    nonce_hash: null,
    deactivated: [],
    balance_updates: [],
    liquidity_baking_toggle_ema: 0,
    ...(block.protocol.votesForIssuance && { adaptive_issuance_vote_ema: 0 }),
    implicit_operations_results: [],
    proposer_consensus_key: NULL_ADDRESS,
    baker_consensus_key: NULL_ADDRESS,
    consumed_milligas: "0",
    dal_attestation: "0",
    ...(!block.protocol.votesForIssuance && ATTESTATIONS),
  };
}

/** Attestation fields of metadata since Tallinn: this chain has no attestations. */
const ATTESTATIONS = { all_bakers_attest_activation_level: null, attestations: null, preattestations: null };

/** JSON of an operation with its receipts. Its contents are the text that the chain keeps. */
export function operationText(operation: IncludedOperation, { protocol }: Block, chainId: string): string {
  const { hash, branch, text, signature } = operation;
  const before = JSON.stringify({ protocol: protocol.hash, chain_id: chainId, hash, branch });
  return `${before.slice(0, -1)},"contents":${text},"signature":"${signatureOf(signature)}"}`;
}

/** What the JSON of a block says before its operations. */
export function blockHead(block: Block, chainId: string): object {
  return {
    protocol: protocolsOf(block).protocol,
    chain_id: chainId,
    hash: block.hash,
    header: header(block),
    metadata: metadataJson(block),
  };
}
