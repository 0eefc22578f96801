// The state of the runtime: accounts, code, key-value stores, tickets. The executor holds one as the base of
// all transactions; the HTTP side holds another (the committed store) that follows it write set by write set.

/** Account of a user or smart function; amounts and nonces are unsigned 64-bit. */
export interface Account {
  readonly amount: bigint;
  readonly nonce: bigint;
}

/** What a transaction reads from: the base ledger or a parent transaction. */
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

/** Text form of an account in a write set. */
export function accountText(account: Account): string {
  return `${account.amount}:${account.nonce}`;
}

/** Account of its text form. */
export function parseAccountText(text: string): Account {
  const colon = text.indexOf(":");
  return { amount: BigInt(text.slice(0, colon)), nonce: BigInt(text.slice(colon + 1)) };
}

/** A ledger in memory that changes only by committed write sets. */
export class Ledger implements LedgerView {
  readonly #accounts = new Map<string, Account>();
  readonly #codes = new Map<string, string>();
  readonly #values = new Map<string, Map<string, string>>();
  readonly #tickets = new Map<string, bigint>();

  account(address: string): Account | undefined {
    return this.#accounts.get(address);
  }

  code(address: string): string | undefined {
    return this.#codes.get(address);
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
        this.#accounts.set(write[1], parseAccountText(write[2]));
        return;
      case "code":
        this.#codes.set(write[1], write[2]);
        return;
      case "value":
        this.#setValue(write[1], write[2], write[3]);
        return;
      case "ticket":
        this.#tickets.set(`${write[1]}/${write[2]}`, BigInt(write[3]));
    }
  }

  #setValue(address: string, key: string, value: string | undefined): void {
    let store = this.#values.get(address);
    if (value === undefined) {
      store?.delete(key);
      return;
    }
    if (store === undefined) this.#values.set(address, (store = new Map()));
    store.set(key, value);
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
