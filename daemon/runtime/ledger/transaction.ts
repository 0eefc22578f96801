// Nested transactions over a ledger: a child sees its parent's changes and adds its own on commit; dropping it rolls
// back. Tez amounts never go below zero or above 64 bits.
import { MAX_RUNTIME_MUTEZ } from "../../protocol/tez-text.ts";
import type { Address } from "../../tezos/address.ts";
import { type Mutez, mutez, NO_TEZ } from "../../tezos/mutez.ts";
import type { TicketHash } from "../inbox/ticket.ts";
import { ProtocolError } from "./ledger-error.ts";
import {
  type Account,
  accountText,
  ENTRY_CHARACTERS,
  type Ledger,
  type LedgerView,
  type LedgerWrite,
  weightOf,
} from "./ledger.ts";

/** A message for layer 1, sent when its operation commits. */
export interface OutboxEffect {
  /** Bytes of the outbox message. */
  readonly bytes: Uint8Array;
}

const EMPTY: Account = { amount: NO_TEZ, nonce: 0n };

/** Changes on top of a view. */
export class Transaction implements LedgerView {
  readonly #parent: LedgerView;
  readonly #accounts = new Map<string, Account>();
  #codes: Map<string, string> | undefined;
  #values: Map<string, { address: string; key: string; value: string | undefined }> | undefined;
  #tickets: Map<string, { hash: string; owner: string; amount: bigint }> | undefined;
  #outbox: OutboxEffect[] | undefined;

  constructor(parent: LedgerView) {
    this.#parent = parent;
  }

  /** A child whose changes reach this transaction only through its {@link commit}. */
  begin(): Transaction {
    return new Transaction(this);
  }

  account(address: string): Account | undefined {
    return this.#accounts.get(address) ?? this.#parent.account(address);
  }

  balance(address: string): Mutez {
    return this.account(address)?.amount ?? NO_TEZ;
  }

  nonce(address: string): bigint {
    return this.account(address)?.nonce ?? 0n;
  }

  code(address: string): string | undefined {
    return this.#codes?.get(address) ?? this.#parent.code(address);
  }

  value(address: string, key: string): string | undefined {
    // Addresses have a fixed length and no slash, so the joined text is unambiguous.
    const own = this.#values?.get(`${address}/${key}`);
    return own ? own.value : this.#parent.value(address, key);
  }

  ticket(hash: string, owner: string): bigint {
    return this.#tickets?.get(`${hash}/${owner}`)?.amount ?? this.#parent.ticket(hash, owner);
  }

  setCode(address: Address, code: string): void {
    (this.#codes ??= new Map()).set(address, code);
    this.open(address);
  }

  /** Creates the account, with zeros, if it does not exist. */
  open(address: Address): void {
    if (this.account(address) === undefined) this.#accounts.set(address, EMPTY);
  }

  /** Stores JSON text; undefined deletes the key. */
  setValue(address: Address, key: string, value: string | undefined): void {
    (this.#values ??= new Map()).set(`${address}/${key}`, { address, key, value });
  }

  bumpNonce(address: Address): void {
    const account = this.account(address) ?? EMPTY;
    this.#accounts.set(address, { amount: account.amount, nonce: account.nonce + 1n });
  }

  /** @throws ProtocolError BalanceOverflow */
  credit(address: Address, amount: Mutez): void {
    const account = this.account(address) ?? EMPTY;
    const sum = account.amount + amount;
    if (sum > MAX_RUNTIME_MUTEZ) throw new ProtocolError("BalanceOverflow");
    this.#accounts.set(address, { amount: mutez(sum), nonce: account.nonce });
  }

  /** @throws ProtocolError InsufficientFunds */
  debit(address: Address, amount: Mutez): void {
    const account = this.account(address) ?? EMPTY;
    if (account.amount < amount) throw new ProtocolError("InsufficientFunds");
    this.#accounts.set(address, { amount: mutez(account.amount - amount), nonce: account.nonce });
  }

  /** Moves tez; nothing changes when it throws. @throws ProtocolError InsufficientFunds, BalanceOverflow */
  transfer(from: Address, to: Address, amount: Mutez): void {
    if (from === to) {
      if (this.balance(from) < amount) throw new ProtocolError("InsufficientFunds");
      return;
    }
    if (this.balance(to) + amount > MAX_RUNTIME_MUTEZ) throw new ProtocolError("BalanceOverflow");
    this.debit(from, amount);
    this.credit(to, amount);
  }

  /** Sums have no limit: the tickets are locked on layer 1 already, and need an owner. */
  creditTicket(hash: TicketHash, owner: Address, amount: bigint): void {
    const sum = this.ticket(hash, owner) + amount;
    (this.#tickets ??= new Map()).set(`${hash}/${owner}`, { hash, owner, amount: sum });
  }

  /** @throws ProtocolError InsufficientFunds */
  debitTicket(hash: TicketHash, owner: Address, amount: bigint): void {
    const rest = this.ticket(hash, owner) - amount;
    if (rest < 0n) throw new ProtocolError("InsufficientFunds");
    (this.#tickets ??= new Map()).set(`${hash}/${owner}`, { hash, owner, amount: rest });
  }

  send(effect: OutboxEffect): void {
    (this.#outbox ??= []).push(effect);
  }

  get outbox(): readonly OutboxEffect[] {
    return this.#outbox ?? [];
  }

  /** Adds the changes to the parent, which must be a transaction; do not use this one afterwards. */
  commit(): void {
    const parent = this.#parent;
    if (!(parent instanceof Transaction))
      throw new TypeError("a root transaction is committed by its write set");
    for (const [address, account] of this.#accounts) parent.#accounts.set(address, account);
    if (this.#codes)
      for (const [address, code] of this.#codes) (parent.#codes ??= new Map()).set(address, code);
    if (this.#values)
      for (const [path, entry] of this.#values) (parent.#values ??= new Map()).set(path, entry);
    if (this.#tickets)
      for (const [path, entry] of this.#tickets) (parent.#tickets ??= new Map()).set(path, entry);
    if (this.#outbox) (parent.#outbox ??= []).push(...this.#outbox);
  }

  /** Upper bound of the characters that committing this root transaction adds to `Ledger.characters`. */
  growth(): number {
    let growth = 0;
    for (const address of this.#accounts.keys())
      if (this.#parent.account(address) === undefined) growth += ENTRY_CHARACTERS;
    for (const { hash, owner } of this.#tickets?.values() ?? [])
      if (this.#parent.ticket(hash, owner) === 0n) growth += ENTRY_CHARACTERS; // or it exists with amount 0
    for (const [address, code] of this.#codes ?? [])
      growth += weightOf(code) - weightOf(this.#parent.code(address));
    for (const { address, key, value } of this.#values?.values() ?? []) {
      const before = this.#parent.value(address, key);
      if (value !== undefined) growth += key.length + weightOf(value);
      if (before !== undefined) growth -= key.length + weightOf(before);
    }
    return growth;
  }

  /** The changes of a root transaction, for the base ledger and all its replicas. */
  writes(): LedgerWrite[] {
    const writes: LedgerWrite[] = [];
    for (const [address, account] of this.#accounts) writes.push(["account", address, accountText(account)]);
    if (this.#codes) for (const [address, code] of this.#codes) writes.push(["code", address, code]);
    if (this.#values) {
      for (const { address, key, value } of this.#values.values())
        writes.push(["value", address, key, value]);
    }
    if (this.#tickets) {
      for (const { hash, owner, amount } of this.#tickets.values()) {
        writes.push(["ticket", hash, owner, amount.toString()]);
      }
    }
    return writes;
  }
}

/** Applies the writes of a root transaction to its ledger and returns them. */
export function commitTo(ledger: Ledger, transaction: Transaction): LedgerWrite[] {
  const writes = transaction.writes();
  for (const write of writes) ledger.apply(write);
  return writes;
}
