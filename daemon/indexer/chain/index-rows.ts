// The rows of the index. They have the fields of TzKT's answers in the same order, so that a row is an answer; see
// https://api.tzkt.io. Amounts are mutez.
import type { ContractScript } from "../human/contract-script.ts";
import type { HumanType } from "../human/human-type.ts";
import type { BigMapKeys } from "./big-map-keys.ts";
import type { PackedNode } from "./packed-node.ts";
import type { SharedScript } from "./shared-scripts.ts";
import type { ShownValue } from "./shown-value.ts";
import type { TokenMetadata } from "./token-metadata.ts";

export interface Alias {
  readonly alias?: string;
  readonly address: string;
}

export interface BlockRow {
  readonly cycle: number;
  readonly level: number;
  readonly hash: string;
  readonly timestamp: string;
  readonly proto: number;
  readonly payloadRound: number;
  readonly blockRound: number;
  readonly validations: number;
  readonly deposit: number;
  readonly reward: number;
  readonly bonus: number;
  readonly fees: bigint;
  readonly nonceRevealed: boolean;
  readonly proposer: Alias | null;
  readonly producer: Alias | null;
  readonly lbToggle: boolean | null;
  readonly lbToggleEma: number;
}

export interface OperationRow {
  readonly type: string;
  readonly id: number;
  readonly level: number;
  readonly timestamp: string;
  readonly block: string;
  readonly hash: string;
  readonly counter: number;
  readonly initiator?: Alias;
  readonly sender: Alias;
  readonly nonce?: number;
  readonly target?: Alias;
  readonly originatedContract?: Alias;
  readonly parameter?: { readonly entrypoint: string; readonly value?: ShownValue };
  readonly status: string;
  readonly [field: string]: unknown;
}

export interface EventRow {
  readonly id: number;
  readonly level: number;
  readonly timestamp: string;
  readonly contract: Alias;
  readonly codeHash: number;
  readonly tag: string | null;
  readonly payload: ShownValue | null;
  readonly transactionId: number;
  readonly type: PackedNode | null;
}

export interface BigMapKeyRow {
  readonly id: number;
  readonly active: boolean;
  readonly hash: string;
  readonly key: ShownValue;
  readonly value: ShownValue;
  readonly firstLevel: number;
  readonly lastLevel: number;
  readonly updates: number;
}

export interface BigMapUpdateRow {
  readonly id: number;
  readonly level: number;
  readonly timestamp: string;
  readonly bigmap: number;
  readonly contract: Alias;
  readonly path: string;
  readonly action: "allocate" | "add_key" | "update_key" | "remove_key" | "remove";
  readonly content?: { readonly hash: string; readonly key: ShownValue; readonly value: ShownValue };
}

/** A big map with its keys; answers about the map omit them. */
export interface BigMapState {
  readonly ptr: number;
  readonly contract: Alias;
  readonly path: string;
  readonly tags: readonly string[];
  active: boolean;
  readonly firstLevel: number;
  lastLevel: number;
  activeKeys: number;
  updates: number;
  readonly keyType: HumanType;
  readonly valueType: HumanType;
  keys: BigMapKeys;
  /** Whether keys were evicted to save memory. */
  hasForgotten: boolean;
}

export interface ContractState {
  readonly id: number;
  readonly address: string;
  readonly creator: Alias | null;
  readonly script: ContractScript;
  /** The script among those of all contracts. */
  readonly shared: SharedScript;
  /** Paths of its big maps in the storage. */
  readonly paths: Map<number, string>;
  readonly typeHash: number;
  readonly codeHash: number;
  readonly firstLevel: number;
  readonly firstTime: string;
}

/** Activity of an account in the kept blocks. */
export interface Activity {
  readonly id: number;
  readonly firstActivity: number;
  readonly firstActivityTime: string;
  lastActivity: number;
  lastActivityTime: string;
  /** Operations by type. */
  readonly counts: Map<string, number>;
}

export interface TokenState {
  readonly id: number;
  readonly contract: Alias;
  readonly tokenId: string;
  readonly standard: string;
  readonly firstMinter: Alias;
  readonly firstLevel: number;
  readonly firstTime: string;
  lastLevel: number;
  lastTime: string;
  transfersCount: number;
  balancesCount: number;
  holdersCount: number;
  totalMinted: bigint;
  totalBurned: bigint;
  metadata?: TokenMetadata;
}

export interface TokenBalanceState {
  readonly id: number;
  readonly account: Alias;
  readonly token: TokenState;
  balance: bigint;
  transfersCount: number;
  readonly firstLevel: number;
  readonly firstTime: string;
  lastLevel: number;
  lastTime: string;
}

export interface TokenTransferRow {
  readonly id: number;
  readonly level: number;
  readonly timestamp: string;
  readonly token: TokenState;
  readonly from?: Alias;
  readonly to?: Alias;
  readonly amount: bigint;
  readonly transactionId?: number;
  readonly originationId?: number;
}
