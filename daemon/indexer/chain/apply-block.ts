// Makes the rows of a block. The index must already have the contracts that the block names: follow-chain.ts loads them.
import { COST_PER_BYTE, ORIGINATION_SIZE } from "../../tezos/parameters.ts";
import { normalParameter } from "../human/contract-script.ts";
import { applyDiffs } from "./apply-big-maps.ts";
import { applyTokens } from "./apply-tokens.ts";
import type { ChainIndex } from "./chain-index.ts";
import type { Alias, BlockRow, ContractState, OperationRow } from "./index-rows.ts";
import { operationType, otherFields } from "./operation-types.ts";
import { PackedNode } from "./packed-node.ts";
import type { RpcBlock, RpcContent, RpcResult } from "./rpc-block.ts";
import { ShownValue } from "./shown-value.ts";
import { applyTokenMetadata } from "./token-metadata.ts";

export function applyBlock(index: ChainIndex, block: RpcBlock): BlockRow {
  const { header, metadata } = block;
  const at = { level: header.level, timestamp: header.timestamp, block: block.hash };
  let fees = 0n;
  for (const operations of block.operations)
    for (const { hash, contents } of operations)
      for (const content of contents) {
        fees += BigInt(content.fee ?? "0");
        applyContent(index, content, { ...at, hash });
      }
  const baker = (address: string | undefined): Alias | null => (address === undefined ? null : { address });
  const vote = header.liquidity_baking_toggle_vote;
  const row: BlockRow = {
    cycle: metadata?.level_info?.cycle ?? 0,
    level: header.level,
    hash: block.hash,
    timestamp: header.timestamp,
    proto: header.proto,
    payloadRound: header.payload_round ?? 0,
    blockRound: header.payload_round ?? 0,
    validations: 0,
    deposit: 0,
    reward: 0,
    bonus: 0,
    fees,
    nonceRevealed: false,
    proposer: baker(metadata?.proposer),
    producer: baker(metadata?.baker),
    lbToggle: vote === "on" ? true : vote === "off" ? false : null,
    lbToggleEma: metadata?.liquidity_baking_toggle_ema ?? 0,
  };
  index.chain = {
    chainId: block.chain_id,
    protocol: metadata?.protocol ?? block.protocol,
    nextProtocol: metadata?.next_protocol ?? block.protocol,
    votingPeriod: metadata?.voting_period_info?.voting_period.index ?? 0,
  };
  index.endBlock(row);
  return row;
}

interface Where {
  readonly level: number;
  readonly timestamp: string;
  readonly block: string;
  readonly hash: string;
}

/** Context of an internal operation: the operation around it, and the calls made there before. */
interface Inside {
  readonly content: RpcContent;
  /** Row number of the latest transaction to an address. */
  readonly calls: Map<string, number>;
}

function applyContent(index: ChainIndex, content: RpcContent, where: Where): void {
  const { operation_result: result, internal_operation_results: inner = [] } = content.metadata ?? {};
  if (result === undefined) return; // not a manager operation
  const inside: Inside = { content, calls: new Map() };
  index.temporaryMaps.clear(); // each operation numbers its temporary maps from -1
  applyOne(index, content, result, where, inside, inner.length > 0);
  for (const internal of inner)
    if (internal.result) applyOne(index, internal, internal.result, where, inside, false);
}

const ifKnown = (name: string, value: unknown): object => (value === undefined ? {} : { [name]: value });

function applyOne(
  index: ChainIndex,
  content: RpcContent,
  result: RpcResult,
  where: Where,
  inside: Inside,
  hasInternals: boolean,
): void {
  const { content: outer, calls } = inside;
  const isInternal = content !== outer;
  const isApplied = result.status === "applied";
  const source = content.source ?? outer.source ?? "";
  if (content.kind === "event") {
    if (isApplied) addEvent(index, content, where, source, calls.get(source) ?? 0);
    return;
  }
  const id = index.nextId();
  const type = operationType(content.kind);
  const gas = { limit: Number(outer.gas_limit ?? 0), storage: Number(outer.storage_limit ?? 0) };
  const size = BigInt(isApplied ? (result.paid_storage_size_diff ?? "0") : "0");
  const allocated =
    isApplied && (content.kind === "origination" || result.allocated_destination_contract === true);
  const called = contractOf(index, content, result);
  const applied = isApplied ? changesOf(index, content, result, called, where, id) : undefined;
  const row: OperationRow = {
    type,
    id,
    level: where.level,
    timestamp: where.timestamp,
    block: where.block,
    hash: where.hash,
    counter: Number(outer.counter ?? 0),
    ...(isInternal && { initiator: { address: outer.source ?? "" } }),
    sender: { address: source },
    ...ifKnown("senderCodeHash", index.contracts.get(source)?.codeHash),
    ...(isInternal && { nonce: content.nonce ?? 0 }),
    gasLimit: isInternal ? 0 : gas.limit,
    gasUsed: Math.ceil(Number(result.consumed_milligas ?? "0") / 1000),
    storageLimit: isInternal ? 0 : gas.storage,
    storageUsed: Number(size),
    bakerFee: BigInt(isInternal ? "0" : (content.fee ?? "0")),
    storageFee: size * COST_PER_BYTE,
    allocationFee: allocated ? ORIGINATION_SIZE * COST_PER_BYTE : 0n,
    ...fieldsOf(content, result, called),
    ...applied?.fields,
    status: result.status,
    ...(result.errors && { errors: result.errors.map(errorRow) }),
    ...(type === "transaction" && { hasInternals }),
    ...(applied !== undefined && applied.transfers > 0 && { tokenTransfersCount: applied.transfers }),
  };
  if (type === "transaction" && content.destination !== undefined) calls.set(content.destination, id);
  index.addOperation(row);
  const parties = [source, content.destination, content.delegate, called?.address];
  for (const party of new Set(parties)) if (party) index.touch(party, type, where.level, where.timestamp);
}

/** The contract that a content calls or originates. */
function contractOf(index: ChainIndex, content: RpcContent, result: RpcResult): ContractState | undefined {
  const address = content.kind === "origination" ? result.originated_contracts?.[0] : content.destination;
  return address === undefined ? undefined : index.contracts.get(address);
}

/** Fields specific to a kind. */
function fieldsOf(content: RpcContent, result: RpcResult, called: ContractState | undefined): object {
  switch (content.kind) {
    case "transaction":
      return {
        target: { address: content.destination ?? "" },
        ...ifKnown("targetCodeHash", called?.codeHash),
        amount: BigInt(content.amount ?? "0"),
        ...(content.parameters && { parameter: parameterRow(content.parameters, called) }),
      };
    case "origination": {
      const [address] = result.originated_contracts ?? [];
      return {
        contractBalance: BigInt(content.balance ?? "0"),
        ...(content.delegate !== undefined && { contractDelegate: { address: content.delegate } }),
        ...(address !== undefined &&
          result.status === "applied" && { originatedContract: originatedRow(address, called) }),
      };
    }
    case "delegation": {
      const { delegate } = content;
      return { amount: 0n, ...(delegate !== undefined && { newDelegate: { address: delegate } }) };
    }
    default:
      return otherFields(content, result);
  }
}

function parameterRow(
  { entrypoint, value }: NonNullable<RpcContent["parameters"]>,
  called: ContractState | undefined,
): OperationRow["parameter"] {
  if (called === undefined) return { entrypoint, value: new ShownValue(undefined, value) };
  const normal = normalParameter(called.script, entrypoint, value);
  return { entrypoint: normal.entrypoint, value: new ShownValue(normal.type, normal.value) };
}

const originatedRow = (address: string, contract: ContractState | undefined): object => ({
  kind: kindOf(contract),
  address,
  typeHash: contract?.typeHash ?? 0,
  codeHash: contract?.codeHash ?? 0,
  ...(contract && contract.script.tzips.length > 0 && { tzips: contract.script.tzips }),
});

/** TzKT's kind of a contract: `asset` when it keeps tokens. */
export const kindOf = (contract: ContractState | undefined): string =>
  contract !== undefined && contract.script.tzips.length > 0 ? "asset" : "smart_contract";

function changesOf(
  index: ChainIndex,
  { kind, script }: RpcContent,
  result: RpcResult,
  called: ContractState | undefined,
  where: Where,
  id: number,
): { readonly fields: object; readonly transfers: number } | undefined {
  if (called === undefined) return undefined;
  const written = result.storage;
  if (written !== undefined && result.lazy_storage_diff !== undefined)
    index.noteBigMaps(called, written, where.level);
  const diffs = applyDiffs(index, result.lazy_storage_diff, called.address, where);
  const cause = kind === "origination" ? { originationId: id } : { transactionId: id };
  applyTokenMetadata(index, called, diffs.changes);
  const transfers = applyTokens(index, called, diffs.changes, where, cause);
  const storage = written ?? script?.storage;
  return {
    fields: {
      ...(storage !== undefined && { storage: new ShownValue(called.script.storage, storage) }),
      ...(diffs.rows.length > 0 && { diffs: diffs.rows }),
    },
    transfers,
  };
}

function addEvent(
  index: ChainIndex,
  { tag, type, payload }: RpcContent,
  { level, timestamp }: Where,
  contract: string,
  transactionId: number,
): void {
  const packedType = type && new PackedNode(type);
  index.addEvent({
    id: index.nextId(),
    level,
    timestamp,
    contract: { address: contract },
    codeHash: index.contracts.get(contract)?.codeHash ?? 0,
    tag: tag ?? null,
    payload: payload === undefined ? null : new ShownValue(packedType, payload),
    transactionId,
    type: packedType ?? null,
  });
}

/** TzKT's form of an error: `type` is the id without the protocol's name. */
function errorRow({ id, kind: _kind, ...rest }: Readonly<Record<string, unknown>>): object {
  return { type: String(id).replace(/^proto\.[^.]+\./, ""), ...rest };
}
