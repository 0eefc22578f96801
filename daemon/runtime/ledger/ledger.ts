// The state of the runtime: accounts, code, key-value stores, tickets. The executor holds one as the base of
// all transactions; the HTTP side holds another (the committed store) that follows it write set by write set.

import { type Mutez, mutez } from "../../tezos/mutez.ts";
import { SortedKeys } from "./sorted-keys.ts";

/** Account of a user or smart function; amounts and nonces are unsigned 64-bit. */
export interface Account {
  readonly amount: Mutez;
  readonly nonce: bigint;
}

/** What a transaction reads: the base ledger or a parent transaction. */
export interface LedgerView {
  account(address: string): Account | undefined;
  code(address: string): string | undefined;
  /** JSON text stored under the key of a smart function. */
  value(address: string, key: string): string | undefined;
  /** Amount of a ticket (hex hash) that an owner holds. */
  ticket(hash: string, owner: string): bigint;
}

/**
 * One committed change, as flat strings: cheap to send between threads and to apply in order.
 * `account` carries `amount:nonce`; `value` is undefined when the key was deleted.
 */
export type LedgerWrite =
  | readonly ["account", address: string, state: string]
  | readonly ["code", address: string, code: string]
  | readonly ["value", address: string, key: string, value: string | undefined]
  | readonly ["ticket", hash: string, owner: string, amount: string];

/** Difference between two ledgers: writes, and the accounts, codes and tickets (`hash/owner`) to remove. */
export interface LedgerDifference {
  readonly writes: readonly LedgerWrite[];
  readonly removed: readonly (readonly ["account" | "code" | "ticket", key: string])[];
}

/**
 * Weight of an account, a code, a value or a ticket in addition to its text. Measured: 130 to 260 bytes in each of the
 * two ledgers, where a character takes one or two.
 */
export const ENTRY_CHARACTERS = 200;

/** Text form of an account in a write set. */
export function accountText(account: Account): string {
  return `${account.amount}:${account.nonce}`;
}

/** Inverse of `accountText`. */
export function parseAccountText(text: string): Account {
  const colon = text.indexOf(":");
  return { amount: mutez(BigInt(text.slice(0, colon))), nonce: BigInt(text.slice(colon + 1)) };
}

/** Functions whose keys are kept sorted: each keeps some removed keys for a while. */
const MAX_SORTED = 1_000;

/** A ledger in memory that changes only by committed write sets. */
export class Ledger implements LedgerView {
  readonly #accounts = new Map<string, Account>();
  readonly #codes = new Map<string, string>();
  readonly #values = new Map<string, Map<string, string>>();
  readonly #tickets = new Map<string, bigint>();
  #characters = 0;
  /** By function, once its keys have been listed. */
  readonly #sortedKeys = new Map<string, SortedKeys>();

  account(address: string): Account | undefined {
    return this.#accounts.get(address);
  }

  code(address: string): string | undefined {
    return this.#codes.get(address);
  }

  /** Addresses with code, in the order of their creation. */
  functions(): Iterable<string> {
    return this.#codes.keys();
  }

  /** All addresses, in the order of their creation. */
  addresses(): Iterable<string> {
    return this.#accounts.keys();
  }

  value(address: string, key: string): string | undefined {
    return this.#values.get(address)?.get(key);
  }

  ticket(hash: string, owner: string): bigint {
    return this.#tickets.get(`${hash}/${owner}`) ?? 0n;
  }

  /** Applies one committed change. */
  apply(write: LedgerWrite): void {
    switch (write[0]) {
      case "account":
        if (!this.#accounts.has(write[1])) this.#characters += ENTRY_CHARACTERS;
        this.#accounts.set(write[1], parseAccountText(write[2]));
        return;
      case "code":
        this.#characters += weightOf(write[2]) - weightOf(this.#codes.get(write[1]));
        this.#codes.set(write[1], write[2]);
        return;
      case "value":
        this.#setValue(write[1], write[2], write[3]);
        return;
      case "ticket": {
        const path = `${write[1]}/${write[2]}`;
        if (!this.#tickets.has(path)) this.#characters += ENTRY_CHARACTERS;
        this.#tickets.set(path, BigInt(write[3]));
      }
    }
  }

  #setValue(address: string, key: string, value: string | undefined): void {
    let store = this.#values.get(address);
    const before = store?.get(key);
    if (before !== undefined) this.#characters -= key.length + weightOf(before);
    if (value === undefined) {
      if (store?.delete(key)) this.#keyChanged(address, key);
      return;
    }
    if (store === undefined) this.#values.set(address, (store = new Map()));
    store.set(key, value);
    this.#characters += key.length + weightOf(value);
    if (before === undefined) this.#keyChanged(address, key);
  }

  #keyChanged(address: string, key: string): void {
    if (this.#sortedKeys.get(address)?.changed(key) === false) this.#sortedKeys.delete(address);
  }

  /** An independent copy. */
  copy(): Ledger {
    const copy = new Ledger();
    for (const [address, account] of this.#accounts) copy.#accounts.set(address, account);
    for (const [address, code] of this.#codes) copy.#codes.set(address, code);
    for (const [address, store] of this.#values) copy.#values.set(address, new Map(store));
    for (const [path, amount] of this.#tickets) copy.#tickets.set(path, amount);
    copy.#characters = this.#characters;
    return copy;
  }

  /** What must change so that this ledger equals another. */
  differenceTo(other: Ledger): LedgerDifference {
    const removed = [
      ...missing(this.#accounts, other.#accounts).map((address) => ["account", address] as const),
      ...missing(this.#codes, other.#codes).map((address) => ["code", address] as const),
      ...missing(this.#tickets, other.#tickets).map((path) => ["ticket", path] as const),
    ];
    const writes: LedgerWrite[] = [];
    for (const [address, store] of this.#values) {
      const keys = missing(store, other.#values.get(address) ?? new Map());
      for (const key of keys) writes.push(["value", address, key, undefined]);
    }
    for (const write of other.writes()) if (!this.#has(write)) writes.push(write);
    return { writes, removed };
  }

  /** Whether a write would change nothing. */
  #has(write: LedgerWrite): boolean {
    switch (write[0]) {
      case "account": {
        const own = this.#accounts.get(write[1]);
        return own !== undefined && accountText(own) === write[2];
      }
      case "code":
        return this.#codes.get(write[1]) === write[2];
      case "value":
        return this.value(write[1], write[2]) === write[3];
      case "ticket":
        return this.#tickets.get(`${write[1]}/${write[2]}`)?.toString() === write[3];
    }
  }

  /** Applies a difference. */
  amend({ writes, removed }: LedgerDifference): void {
    for (const [what, key] of removed) {
      if (what === "code") {
        this.#characters -= weightOf(this.#codes.get(key));
        this.#codes.delete(key);
      } else if ((what === "account" ? this.#accounts : this.#tickets).delete(key)) {
        this.#characters -= ENTRY_CHARACTERS;
      }
    }
    for (const write of writes) this.apply(write);
  }

  /** Number of entries: accounts, codes, values, tickets. */
  get size(): number {
    let size = this.#accounts.size + this.#codes.size + this.#tickets.size;
    for (const store of this.#values.values()) size += store.size;
    return size;
  }

  /** Characters of all code, keys and values plus the weight of each entry: the ledger's size in memory. */
  get characters(): number {
    return this.#characters;
  }

  /** Sum of the mutez of all accounts. */
  total(): bigint {
    let sum = 0n;
    for (const account of this.#accounts.values()) sum += account.amount;
    return sum;
  }

  /** Keys of a smart function, unordered. */
  keys(address: string): Iterable<string> {
    return this.#values.get(address)?.keys() ?? [];
  }

  /**
   * Immediate children of a key of a smart function, in order; the empty string stands for the key itself. Undefined
   * when there is neither a value nor a child. Without a key: the first segments of all keys.
   */
  subkeys(address: string, key: string | undefined): string[] | undefined {
    const store = this.#values.get(address);
    if (store === undefined) return undefined;
    let sorted = this.#sortedKeys.get(address);
    if (sorted === undefined) {
      sorted = new SortedKeys(store.keys(), (each) => store.has(each));
      this.#sortedKeys.set(address, sorted);
      if (this.#sortedKeys.size > MAX_SORTED)
        for (const oldest of this.#sortedKeys.keys()) {
          this.#sortedKeys.delete(oldest);
          break;
        }
    }
    return sorted.subkeys(key);
  }

  /** The whole ledger as writes that build an equal one. */
  *writes(): Generator<LedgerWrite> {
    for (const [address, account] of this.#accounts) yield ["account", address, accountText(account)];
    for (const [address, code] of this.#codes) yield ["code", address, code];
    for (const [address, store] of this.#values) {
      for (const [key, value] of store) yield ["value", address, key, value];
    }
    for (const [path, amount] of this.#tickets) {
      const slash = path.indexOf("/");
      yield ["ticket", path.slice(0, slash), path.slice(slash + 1), amount.toString()];
    }
  }
}

/** Weight of a code or a value; 0 when undefined. */
export const weightOf = (text: string | undefined): number =>
  text === undefined ? 0 : ENTRY_CHARACTERS + text.length;

/** Keys of the first map that are missing in the second. */
function missing(first: ReadonlyMap<string, unknown>, second: ReadonlyMap<string, unknown>): string[] {
  return [...first.keys()].filter((key) => !second.has(key));
}
