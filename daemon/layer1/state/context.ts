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
  /** Sets or removes a big map; its entries are removed with it. */
  setBigMap(id: bigint, map: BigMap | undefined): void;
  setBigMapEntry(id: bigint, keyHash: string, entry: BigMapEntry | undefined): void;
  /** Gives a big map the entries of another one, which costs nothing. */
  copyBigMapEntries(from: bigint, to: bigint): void;
  setTicket(owner: Address, id: string, balance: TicketBalance | undefined): void;
  setGlobalCounter(counter: bigint): void;
  setNextBigMapId(id: bigint): void;
  setOther(key: string, value: unknown): void;
}

/** An account that was found before. @throws Error when there is none: a defect of ours, never a mistake of a client */
export function existingAccount(context: ContextReader, address: string): Account {
  const account = context.account(address);
  if (account === undefined) throw new Error(`the account ${address} is not in the state`);
  return account;
}

/** A big map that was found before. @throws Error when there is none, as {@link existingAccount} */
export function existingBigMap(context: ContextReader, id: bigint): BigMap {
  const map = context.bigMap(id);
  if (map === undefined) throw new Error(`the big map ${id} is not in the state`);
  return map;
}

const ADDRESSES = "addresses";

/** A class, for every operation makes several: an object of closures takes longer to make than to use. */
class Reader<State extends StateReader> implements ContextReader {
  protected readonly state: State;

  constructor(state: State) {
    this.state = state;
  }

  /** A collection that the state has at a key. */
  protected entriesAt<V>(key: string): Entries<V> {
    return (this.state.get(key) as Entries<V> | undefined) ?? Entries.none();
  }

  account(address: string): Account | undefined {
    return this.state.get(`a:${address}`) as Account | undefined;
  }

  bigMap(id: bigint): BigMap | undefined {
    return this.state.get(`m:${id}`) as BigMap | undefined;
  }

  bigMapEntry(id: bigint, keyHash: string): BigMapEntry | undefined {
    return this.bigMapEntries(id).get(keyHash);
  }

  bigMapEntries(id: bigint): Entries<BigMapEntry> {
    return this.entriesAt(`e:${id}`);
  }

  ticket(owner: string, id: string): TicketBalance | undefined {
    return this.ticketsOf(owner).get(id);
  }

  ticketsOf(owner: string): Entries<TicketBalance> {
    return this.entriesAt(`t:${owner}`);
  }

  globalCounter(): bigint {
    return (this.state.get("g:counter") as bigint | undefined) ?? 0n;
  }

  nextBigMapId(): bigint {
    return (this.state.get("g:bigmap") as bigint | undefined) ?? 0n;
  }

  contracts(): Entries<true> {
    return this.entriesAt(ADDRESSES);
  }

  other(key: string): unknown {
    return this.state.get(`o:${key}`);
  }
}

class Writer extends Reader<Layer> implements Context {
  #setEntry<V>(key: string, name: string, value: V | undefined): void {
    const after = this.entriesAt<V>(key).with(name, value);
    this.state.set(key, after.size === 0 ? undefined : after);
  }

  setAccount(address: Address, account: Account | undefined): void {
    const key = `a:${address}`;
    const isNew = this.state.get(key) === undefined;
    this.state.set(key, account);
    if (isNew !== (account === undefined)) this.#setEntry(ADDRESSES, address, account && true);
  }

  forgetBigMap(id: bigint): void {
    this.state.forget(`m:${id}`);
    this.state.forget(`e:${id}`);
  }

  setBigMap(id: bigint, map: BigMap | undefined): void {
    this.state.set(`m:${id}`, map);
    if (map === undefined) this.state.set(`e:${id}`, undefined);
  }

  setBigMapEntry(id: bigint, keyHash: string, entry: BigMapEntry | undefined): void {
    this.#setEntry(`e:${id}`, keyHash, entry);
  }

  copyBigMapEntries(from: bigint, to: bigint): void {
    this.state.set(`e:${to}`, this.state.get(`e:${from}`));
  }

  setTicket(owner: Address, id: string, balance: TicketBalance | undefined): void {
    this.#setEntry(`t:${owner}`, id, balance);
  }

  setGlobalCounter(counter: bigint): void {
    this.state.set("g:counter", counter);
  }

  setNextBigMapId(id: bigint): void {
    this.state.set("g:bigmap", id);
  }

  setOther(key: string, value: unknown): void {
    this.state.set(`o:${key}`, value);
  }
}

export const readContext = (state: StateReader): ContextReader => new Reader(state);

export const writeContext = (layer: Layer): Context => new Writer(layer);
