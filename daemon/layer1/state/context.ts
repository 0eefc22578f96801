// The chain's state by its meaning: accounts, contracts, big maps, tickets. A thin typed face over the store.
import type { Address } from "../../tezos/address.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import type { Mutez } from "../../tezos/mutez.ts";
import type { Type } from "../michelson/type.ts";
import type { Value } from "../michelson/value.ts";
import type { Layer, StateReader } from "./store.ts";

export interface Contract {
  readonly code: Micheline;
  readonly storage: Value;
  readonly bigMapBytes: number;
  /** Bytes of code and storage in binary form, without their lengths. */
  readonly codeBytes: number;
  readonly storageBytes: number;
  /** Whether it has run: it is then in the protocol's cache, where finding it is cheap. */
  readonly isCached: boolean;
  /** Bytes in use (code, storage, big maps) and bytes paid for. */
  readonly used: number;
  readonly paid: number;
}

export interface Account {
  readonly balance: Mutez;
  readonly counter: bigint;
  /** Public key of an implicit account, once revealed. */
  readonly key?: string | undefined;
  readonly delegate?: Address | undefined;
  readonly contract?: Contract | undefined;
  /** Mutez frozen with the delegate; `balance` is without them. */
  readonly stake?: Mutez | undefined;
  /** Mutez on their way back from a delegate, by the cycles in which they were asked for, oldest first. */
  readonly unstaked?:
    | {
        readonly delegate: Address;
        readonly requests: readonly { readonly cycle: number; readonly amount: Mutez }[];
      }
    | undefined;
}

export interface BigMap {
  readonly key: Type;
  readonly value: Type;
  /** Bytes of its entries, as storage is paid for. */
  readonly bytes: number;
}

export interface BigMapEntry {
  readonly key: Value;
  readonly value: Value;
}

export interface TicketBalance {
  readonly owner: Address;
  readonly ticketer: string;
  readonly type: Type;
  readonly contents: Value;
  readonly amount: bigint;
}

/** Reading the state. */
export interface ContextReader {
  account(address: string): Account | undefined;
  bigMap(id: bigint): BigMap | undefined;
  bigMapEntry(id: bigint, keyHash: string): BigMapEntry | undefined;
  /** Hashes of the keys of a big map. */
  bigMapKeys(id: bigint): readonly string[];
  ticket(owner: string, id: string): TicketBalance | undefined;
  /** Tickets of an owner. */
  ticketsOf(owner: string): readonly TicketBalance[];
  /** Counter that a new account starts from. */
  globalCounter(): bigint;
  nextBigMapId(): bigint;
  contracts(): readonly Address[];
  /** Things other folders keep in the state, under their own keys. */
  other(key: string): unknown;
}

export interface Context extends ContextReader {
  setAccount(address: Address, account: Account | undefined): void;
  setBigMap(id: bigint, map: BigMap | undefined): void;
  setBigMapEntry(id: bigint, keyHash: string, entry: BigMapEntry | undefined): void;
  setTicket(owner: Address, id: string, balance: TicketBalance | undefined): void;
  setGlobalCounter(counter: bigint): void;
  setNextBigMapId(id: bigint): void;
  setOther(key: string, value: unknown): void;
}

export function readContext(state: StateReader): ContextReader {
  return {
    account: (address) => state.get(`a:${address}`) as Account | undefined,
    bigMap: (id) => state.get(`m:${id}`) as BigMap | undefined,
    bigMapEntry: (id, keyHash) => state.get(`e:${id}:${keyHash}`) as BigMapEntry | undefined,
    bigMapKeys: (id) => [...state.keys(`e:${id}:`)].map((key) => key.slice(key.lastIndexOf(":") + 1)),
    ticket: (owner, id) => state.get(`t:${owner}:${id}`) as TicketBalance | undefined,
    ticketsOf: (owner) => [...state.keys(`t:${owner}:`)].map((key) => state.get(key) as TicketBalance),
    globalCounter: () => (state.get("g:counter") as bigint | undefined) ?? 0n,
    nextBigMapId: () => (state.get("g:bigmap") as bigint | undefined) ?? 0n,
    contracts: () => [...state.keys("a:")].map((key) => key.slice(2) as Address),
    other: (key) => state.get(`o:${key}`),
  };
}

export function writeContext(layer: Layer): Context {
  return {
    ...readContext(layer),
    setAccount: (address, account) => layer.set(`a:${address}`, account),
    setBigMap: (id, map) => layer.set(`m:${id}`, map),
    setBigMapEntry: (id, keyHash, entry) => layer.set(`e:${id}:${keyHash}`, entry),
    setTicket: (owner, id, balance) => layer.set(`t:${owner}:${id}`, balance),
    setGlobalCounter: (counter) => layer.set("g:counter", counter),
    setNextBigMapId: (id) => layer.set("g:bigmap", id),
    setOther: (key, value) => layer.set(`o:${key}`, value),
  };
}
