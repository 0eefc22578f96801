// Typed access to the chain's state: accounts, contracts, big maps, tickets. A thin layer over the store.
import type { Address } from "../../tezos/address.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import type { Mutez } from "../../tezos/mutez.ts";
import type { Type } from "../michelson/type.ts";
import type { Value } from "../michelson/value.ts";
import { Entries } from "./entries.ts";
import type { Layer, StateReader } from "./store.ts";

export interface Contract {
  readonly code: Micheline;
  readonly storage: Value;
  readonly bigMapBytes: number;
  /** Bytes of code and storage in binary form, without their lengths. */
  readonly codeBytes: number;
  readonly storageBytes: number;
  /** Whether it has run: then it is in the protocol's cache, where lookup is cheap. */
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
  /** Mutez frozen with the delegate; `balance` excludes them. */
  readonly stake?: Mutez | undefined;
  /** Unstaked mutez still with a delegate, by the cycle of the request, oldest first. */
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
  /** Bytes of its entries, as charged for storage. */
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
  /** All entries of a big map, by the hashes of their keys. */
  bigMapEntries(id: bigint): Entries<BigMapEntry>;
  ticket(owner: string, id: string): TicketBalance | undefined;
  /** Tickets of an owner, by their identities. */
  ticketsOf(owner: string): Entries<TicketBalance>;
  /** Counter that a new account starts from. */
  globalCounter(): bigint;
  nextBigMapId(): bigint;
  /** Addresses of all accounts. */
  contracts(): Entries<true>;
  /** Things other folders keep in the state, under their own keys. */
  other(key: string): unknown;
}

export interface Context extends ContextReader {
  setAccount(address: Address, account: Account | undefined): void;
  /** Takes back all that was written about a big map since the state below. */
  forgetBigMap(id: bigint): void;
  /** Without the map go its entries. */
  setBigMap(id: bigint, map: BigMap | undefined): void;
  setBigMapEntry(id: bigint, keyHash: string, entry: BigMapEntry | undefined): void;
  /** Gives a big map the entries of another one, which costs nothing. */
  copyBigMapEntries(from: bigint, to: bigint): void;
  setTicket(owner: Address, id: string, balance: TicketBalance | undefined): void;
  setGlobalCounter(counter: bigint): void;
  setNextBigMapId(id: bigint): void;
  setOther(key: string, value: unknown): void;
}

const ADDRESSES = "addresses";

/** A collection that the state has at a key. */
const entriesAt = <V>(state: StateReader, key: string): Entries<V> =>
  (state.get(key) as Entries<V> | undefined) ?? Entries.none();

function setEntry<V>(layer: Layer, key: string, name: string, value: V | undefined): void {
  const after = entriesAt<V>(layer, key).with(name, value);
  layer.set(key, after.size === 0 ? undefined : after);
}

export function readContext(state: StateReader): ContextReader {
  const bigMapEntries = (id: bigint) => entriesAt<BigMapEntry>(state, `e:${id}`);
  const ticketsOf = (owner: string) => entriesAt<TicketBalance>(state, `t:${owner}`);
  return {
    account: (address) => state.get(`a:${address}`) as Account | undefined,
    bigMap: (id) => state.get(`m:${id}`) as BigMap | undefined,
    bigMapEntry: (id, keyHash) => bigMapEntries(id).get(keyHash),
    bigMapEntries,
    ticket: (owner, id) => ticketsOf(owner).get(id),
    ticketsOf,
    globalCounter: () => (state.get("g:counter") as bigint | undefined) ?? 0n,
    nextBigMapId: () => (state.get("g:bigmap") as bigint | undefined) ?? 0n,
    contracts: () => entriesAt<true>(state, ADDRESSES),
    other: (key) => state.get(`o:${key}`),
  };
}

export function writeContext(layer: Layer): Context {
  return {
    ...readContext(layer),
    setAccount(address, account) {
      const key = `a:${address}`;
      const isNew = layer.get(key) === undefined;
      layer.set(key, account);
      if (isNew !== (account === undefined)) setEntry(layer, ADDRESSES, address, account && true);
    },
    forgetBigMap(id) {
      layer.forget(`m:${id}`);
      layer.forget(`e:${id}`);
    },
    setBigMap(id, map) {
      layer.set(`m:${id}`, map);
      if (map === undefined) layer.set(`e:${id}`, undefined);
    },
    setBigMapEntry: (id, keyHash, entry) => setEntry(layer, `e:${id}`, keyHash, entry),
    copyBigMapEntries: (from, to) => layer.set(`e:${to}`, layer.get(`e:${from}`)),
    setTicket: (owner, id, balance) => setEntry(layer, `t:${owner}`, id, balance),
    setGlobalCounter: (counter) => layer.set("g:counter", counter),
    setNextBigMapId: (id) => layer.set("g:bigmap", id),
    setOther: (key, value) => layer.set(`o:${key}`, value),
  };
}
