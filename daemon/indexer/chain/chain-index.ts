// Everything that the indexer knows: rows by the order of the chain, and the state of big maps and tokens at the head.
import { createHash } from "node:crypto";
import type { Micheline } from "../../tezos/micheline.ts";
import { bigMapsIn, contractScript } from "../human/contract-script.ts";
import type {
  Activity,
  Alias,
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

/** Accounts whose activity is remembered; the one that came first is forgotten first. */
const MAX_ACCOUNTS = 200_000;
/** Characters of the blocks that are kept: a row takes about as much memory as layer 1 wrote characters for it. */
const MAX_CHARACTERS = 48 * 1024 * 1024;

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
  /** Those in arguments of emitted operations, with numbers below zero: what a contract keeps of them is a copy. */
  readonly passedOn = new Map<number, BigMapState>();
  readonly contracts = new Map<string, ContractState>();
  readonly accounts = new Map<string, Activity>();
  readonly tokens = new Map<string, TokenState>();
  readonly balances = new Map<string, TokenBalanceState>();
  chain: Chain | undefined;
  readonly #maxBlocks: number;
  readonly #sizes: { readonly level: number; readonly characters: number }[] = [];
  #characters = 0;
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

  /** Ends the work on a block: drops what is too old. @param characters that layer 1 wrote for it */
  endBlock(block: BlockRow, characters: number): void {
    this.passedOn.clear();
    this.blocks.push(block);
    this.#sizes.push({ level: block.level, characters });
    this.#characters += characters;
    while (
      this.#sizes.length > this.#maxBlocks ||
      (this.#characters > MAX_CHARACTERS && this.#sizes.length > 1)
    )
      this.#dropOldest();
  }

  #dropOldest(): void {
    const { level, characters } = this.#sizes.shift()!;
    this.#characters -= characters;
    for (const rows of [this.blocks, this.operations, this.events, this.bigMapUpdates, this.transfers])
      rows.dropUpTo(level);
  }

  /** Notes that an account took part in something. */
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
      if (this.accounts.size > MAX_ACCOUNTS)
        for (const [oldest] of this.accounts) {
          this.accounts.delete(oldest);
          break;
        }
    }
    activity.lastActivity = level;
    activity.lastActivityTime = time;
    if (type !== undefined) activity.counts.set(type, (activity.counts.get(type) ?? 0) + 1);
  }

  /** Makes a contract known, with the big maps of its storage. */
  addContract(
    address: string,
    written: { readonly code: Micheline; readonly storage: Micheline },
    at: { readonly level: number; readonly time: string; readonly creator: Alias | null },
  ): ContractState {
    const script = contractScript(written.code);
    const contract: ContractState = {
      id: this.nextId(),
      address,
      creator: at.creator,
      script,
      paths: new Map(),
      typeHash: hash32([script.parameter.micheline, script.storage.micheline]),
      codeHash: hash32(written.code),
      firstLevel: at.level,
      firstTime: at.time,
    };
    this.contracts.set(address, contract);
    this.noteBigMaps(contract, written.storage, at.level);
    return contract;
  }

  /** Learns where the big maps of a storage are, and of those that nobody has told of. */
  noteBigMaps(contract: ContractState, storage: Micheline, level: number): void {
    for (const { id, path, type } of bigMapsIn(contract.script.storage, storage)) {
      contract.paths.set(id, path);
      if (!this.bigMaps.has(id))
        this.bigMaps.set(id, newBigMap(id, contract.address, path, type.args[0]!, type.args[1]!, level));
    }
  }
}

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
    keys: new Map(),
  };
}

/** What a big map is for, by its name. */
function tagsOf(path: string): readonly string[] {
  const name = path.slice(path.lastIndexOf(".") + 1);
  if (name === "metadata" || name === "token_metadata") return [name];
  return LEDGERS.test(name) ? ["ledger"] : [];
}

const LEDGERS = /^(?:ledger|balances?|accounts?|tokens)$/;

/** A number that is the same for the same code. */
function hash32(code: unknown): number {
  return createHash("sha256").update(JSON.stringify(code)).digest().readInt32BE(0);
}
