// The index: rows in the order of the chain, and the state of big maps and tokens at the head.
import { integerWeight } from "../../parts/heap-weight.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { bigMapsIn } from "../human/contract-script.ts";
import { BigMapKeys } from "./big-map-keys.ts";
import type {
  Activity,
  Alias,
  BigMapKeyRow,
  BigMapState,
  BigMapUpdateRow,
  BlockRow,
  ContractState,
  EventRow,
  OperationRow,
  TokenBalanceState,
  TokenState,
  TokenTransferRow,
} from "./index-rows.ts";
import { Rows } from "./rows.ts";
import { SharedScripts } from "./shared-scripts.ts";
import type { TokenMetadata } from "./token-metadata.ts";
import { textWeight, treeWeight } from "./tree-weight.ts";
import { weightOf } from "./weight.ts";

/** Accounts whose activity is kept; the oldest entry is evicted first. */
const MAX_ACCOUNTS = 200_000;
/** Estimated bytes of the whole index; rows of the oldest blocks are dropped first. */
const MAX_BYTES = 60 * 1024 * 1024;
/** Estimated bytes of the state at the head: big maps, contracts, tokens, accounts. */
const MAX_STATE_BYTES = 48 * 1024 * 1024;
/** Bytes of a row without its Michelson values, and of each state entry. */
const ENTRY_BYTES = 600;

export interface Chain {
  readonly chainId: string;
  readonly protocol: string;
  readonly nextProtocol: string;
  readonly votingPeriod: number;
}

export class ChainIndex {
  readonly blocks = new Rows<BlockRow>();
  readonly operations = new Rows<OperationRow>();
  readonly events = new Rows<EventRow>();
  readonly bigMapUpdates = new Rows<BigMapUpdateRow>();
  readonly transfers = new Rows<TokenTransferRow>();
  readonly bigMaps = new Map<number, BigMapState>();
  /** Temporary maps in arguments of emitted operations, with negative numbers; a contract that keeps one gets a copy. */
  readonly temporaryMaps = new Map<number, BigMapState>();
  readonly contracts = new Map<string, ContractState>();
  readonly accounts = new Map<string, Activity>();
  readonly tokens = new Map<string, TokenState>();
  readonly balances = new Map<string, TokenBalanceState>();
  /** Of tokens that exist or may be minted later, by contract and number. */
  readonly #tokenMetadata = new Map<string, TokenMetadata>();
  chain: Chain | undefined;
  /** Levels of blocks whose operations are skipped. */
  readonly skipped = new Set<number>();
  readonly #scripts = new SharedScripts();
  readonly #maxBlocks: number;
  readonly #sizes: { readonly level: number; readonly bytes: number }[] = [];
  #rowBytes = 0;
  /** Bytes added by the block that is being applied. */
  #newBytes = 0;
  #stateBytes = 0;
  /** Removed keys, oldest removal first. */
  readonly #removed = new Map<string, { readonly map: BigMapState; readonly hash: string }>();
  /** Whether any state was evicted. */
  hasForgotten = false;
  #lastId = 0;

  /** @param maxBlocks blocks that are kept, with their operations, updates, events and transfers */
  constructor(maxBlocks: number) {
    this.#maxBlocks = maxBlocks;
  }

  get head(): BlockRow | undefined {
    return this.blocks.last;
  }

  /** Numbers rows in the order in which they are made. */
  nextId(): number {
    return ++this.#lastId;
  }

  /** Reserves consecutive numbers. @returns the first of them */
  nextIds(count: number): number {
    const first = this.#lastId + 1;
    this.#lastId += count;
    return first;
  }

  /** Estimated memory of the index. */
  get bytes(): number {
    return this.#rowBytes + this.#newBytes + this.#stateBytes;
  }

  addOperation(row: OperationRow): void {
    this.#newBytes += ENTRY_BYTES + weightOf(row);
    this.operations.push(row);
  }

  addEvent(row: EventRow): void {
    this.#newBytes += ENTRY_BYTES + weightOf(row.payload) + weightOf(row.type);
    this.events.push(row);
  }

  addBigMapUpdate(row: BigMapUpdateRow): void {
    this.#newBytes += ENTRY_BYTES; // its values are counted with the operation
    this.bigMapUpdates.push(row);
  }

  addTransfer(row: TokenTransferRow): void {
    this.#newBytes += ENTRY_BYTES + integerWeight(row.amount) + textWeight(row.token.tokenId);
    this.transfers.push(row);
  }

  addToken(key: string, token: TokenState): void {
    this.#stateBytes += bytesOfToken(token);
    this.tokens.set(key, token);
    const metadata = this.#tokenMetadata.get(key);
    if (metadata !== undefined) token.metadata = metadata;
  }

  /** Sets or removes what a contract tells of a token. */
  setTokenMetadata(key: string, metadata: TokenMetadata | undefined): void {
    const before = this.#tokenMetadata.get(key);
    if (before !== undefined) this.#stateBytes -= bytesOfMetadata(before);
    if (metadata === undefined) this.#tokenMetadata.delete(key);
    else {
      this.#tokenMetadata.set(key, metadata);
      this.#stateBytes += bytesOfMetadata(metadata);
    }
    const token = this.tokens.get(key);
    if (metadata !== undefined && token) token.metadata = metadata;
    else delete token?.metadata;
  }

  addBalance(key: string, held: TokenBalanceState): void {
    this.#stateBytes += bytesOfBalance(held);
    this.balances.set(key, held);
  }

  /** Adds to the amounts of a token that is in the index. */
  supply(token: TokenState, change: { readonly minted: bigint; readonly burned: bigint }): void {
    const before = bytesOfToken(token);
    token.totalMinted += change.minted;
    token.totalBurned += change.burned;
    this.#stateBytes += bytesOfToken(token) - before;
  }

  /** Sets a balance that is in the index. */
  setBalance(held: TokenBalanceState, balance: bigint): void {
    const before = bytesOfBalance(held);
    held.balance = balance;
    this.#stateBytes += bytesOfBalance(held) - before;
  }

  addBigMap(map: BigMapState): void {
    const before = this.bigMaps.get(map.ptr);
    if (before !== undefined) this.#stateBytes -= ENTRY_BYTES + before.keys.bytes;
    this.bigMaps.set(map.ptr, map);
    this.#stateBytes += ENTRY_BYTES + map.keys.bytes;
  }

  /** Replaces the keys of a map, for example by a copy. */
  replaceKeys(map: BigMapState, keys: BigMapKeys): void {
    if (map.ptr >= 0) this.#stateBytes += keys.bytes - map.keys.bytes;
    map.keys = keys;
  }

  setKey(map: BigMapState, row: BigMapKeyRow): void {
    const before = map.keys.bytes;
    map.keys.set(row);
    if (map.ptr < 0) return;
    this.#stateBytes += map.keys.bytes - before;
    const name = `${map.ptr}/${row.hash}`;
    this.#removed.delete(name);
    if (!row.active) this.#removed.set(name, { map, hash: row.hash });
  }

  /** Finishes a block: drops what is too old. */
  endBlock(block: BlockRow): void {
    this.temporaryMaps.clear();
    this.blocks.push(block);
    const bytes = ENTRY_BYTES + this.#newBytes;
    this.#newBytes = 0;
    this.#sizes.push({ level: block.level, bytes });
    this.#rowBytes += bytes;
    if (this.#stateBytes > MAX_STATE_BYTES) this.#forget();
    while (this.#sizes.length > this.#maxBlocks || (this.bytes > MAX_BYTES && this.#sizes.length > 1))
      this.#dropOldest();
  }

  #dropOldest(): void {
    const { level, bytes } = this.#sizes.shift()!;
    this.#rowBytes -= bytes;
    for (const rows of [this.blocks, this.operations, this.events, this.bigMapUpdates, this.transfers])
      rows.dropUpTo(level);
  }

  /**
   * Evicts state, enough for more than one block: first removed keys, then the keys of the maps that changed least
   * recently, then zero balances, then the oldest entries.
   */
  #forget(): void {
    this.hasForgotten = true;
    const enough = (): boolean => this.#stateBytes <= MAX_STATE_BYTES * 0.9;
    for (const [name, { map, hash }] of this.#removed) {
      if (enough()) return;
      this.#removed.delete(name);
      const before = map.keys.bytes;
      map.keys.forget(hash);
      if (this.bigMaps.get(map.ptr) === map) this.#stateBytes += map.keys.bytes - before;
    }
    for (const [key, held] of this.balances) {
      if (enough()) return;
      if (held.balance !== 0n) continue;
      this.balances.delete(key);
      this.#stateBytes -= bytesOfBalance(held);
    }
    const maps = [...this.bigMaps.values()].sort((one, other) => one.lastLevel - other.lastLevel);
    for (const map of maps) {
      if (enough()) return;
      if (map.keys.size === 0) continue;
      this.replaceKeys(map, BigMapKeys.none());
      map.hasForgotten = true;
    }
    const oldest = <Key, Entry>(entries: Map<Key, Entry>, bytes: (entry: Entry) => number): void => {
      for (const [key, entry] of entries) {
        if (enough()) return;
        entries.delete(key);
        this.#stateBytes -= bytes(entry);
      }
    };
    oldest(this.balances, bytesOfBalance);
    oldest(this.tokens, bytesOfToken);
    oldest(this.#tokenMetadata, bytesOfMetadata);
    oldest(this.contracts, ({ shared }) => ENTRY_BYTES + this.#scripts.release(shared));
    oldest(this.bigMaps, ({ keys }) => ENTRY_BYTES + keys.bytes);
  }

  /** Records activity of an account. */
  touch(address: string, type: string | undefined, level: number, time: string): void {
    let activity = this.accounts.get(address);
    if (activity === undefined) {
      activity = {
        id: this.nextId(),
        firstActivity: level,
        firstActivityTime: time,
        lastActivity: level,
        lastActivityTime: time,
        counts: new Map(),
      };
      this.accounts.set(address, activity);
      this.#stateBytes += ENTRY_BYTES;
      if (this.accounts.size > MAX_ACCOUNTS)
        for (const [oldest] of this.accounts) {
          this.accounts.delete(oldest);
          this.#stateBytes -= ENTRY_BYTES;
          break;
        }
    }
    activity.lastActivity = level;
    activity.lastActivityTime = time;
    if (type !== undefined) activity.counts.set(type, (activity.counts.get(type) ?? 0) + 1);
  }

  /** Adds a contract with the big maps in its storage. */
  addContract(
    address: string,
    written: { readonly code: Micheline; readonly storage: Micheline },
    at: { readonly level: number; readonly time: string; readonly creator: Alias | null },
  ): ContractState {
    const before = this.contracts.get(address);
    if (before !== undefined) this.#stateBytes -= ENTRY_BYTES + this.#scripts.release(before.shared);
    const { shared, newBytes } = this.#scripts.share(written.code);
    const { script, typeHash, codeHash } = shared;
    const contract: ContractState = {
      id: this.nextId(),
      address,
      creator: at.creator,
      script,
      shared,
      paths: new Map(),
      typeHash,
      codeHash,
      firstLevel: at.level,
      firstTime: at.time,
    };
    this.contracts.set(address, contract);
    this.#stateBytes += ENTRY_BYTES + newBytes;
    this.noteBigMaps(contract, written.storage, at.level);
    return contract;
  }

  /** Records the paths of the big maps in a storage, and adds the unknown ones. */
  noteBigMaps(contract: ContractState, storage: Micheline, level: number): void {
    for (const { id, path, type } of bigMapsIn(contract.script.storage, storage)) {
      contract.paths.set(id, path);
      if (!this.bigMaps.has(id)) this.addBigMap(newBigMap(id, contract.address, path, ...type.args, level));
    }
  }
}

/** Bytes of a token with its key; its number may be long, and so may its amounts. */
const bytesOfToken = ({ tokenId, totalMinted, totalBurned }: TokenState): number =>
  ENTRY_BYTES + 2 * textWeight(tokenId) + integerWeight(totalMinted) + integerWeight(totalBurned);

/** Bytes of a token's metadata with its key. */
const bytesOfMetadata = (metadata: TokenMetadata): number => ENTRY_BYTES + treeWeight(metadata);

/** Bytes of a balance with its key, which names the token. */
const bytesOfBalance = ({ token, balance }: TokenBalanceState): number =>
  ENTRY_BYTES + textWeight(token.tokenId) + integerWeight(balance);

export function newBigMap(
  ptr: number,
  contract: string,
  path: string,
  keyType: BigMapState["keyType"],
  valueType: BigMapState["valueType"],
  level: number,
): BigMapState {
  return {
    ptr,
    contract: { address: contract },
    path,
    tags: tagsOf(path),
    active: true,
    firstLevel: level,
    lastLevel: level,
    activeKeys: 0,
    updates: 0,
    keyType,
    valueType,
    keys: BigMapKeys.none(),
    hasForgotten: false,
  };
}

/** Guesses the purpose of a big map from its name. */
function tagsOf(path: string): readonly string[] {
  const name = path.slice(path.lastIndexOf(".") + 1);
  if (name === "metadata" || name === "token_metadata") return [name];
  return LEDGERS.test(name) ? ["ledger"] : [];
}

const LEDGERS = /^(?:ledger|balances?|accounts?|tokens)$/;
