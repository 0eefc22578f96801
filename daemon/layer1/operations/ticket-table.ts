// Records who owns which tickets. A transaction carries tickets to its destination when it is emitted; what a contract
// then does with them shows in the difference of its storage.
// Source of the rules: Octez `ticket_accounting.ml`, `ticket_storage.ml`.
import type { Address } from "../../tezos/address.ts";
import { blake2b256 } from "../../tezos/blake2b.ts";
import { toHex } from "../../tezos/hex.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { HASH_COSTS } from "../michelson/costs.ts";
import type { GasMeter } from "../michelson/gas.ts";
import { MichelsonError, permanent } from "../michelson/michelson-error.ts";
import { packValue, scriptExpr } from "../michelson/pack.ts";
import { ADDRESS, type Type, plainType } from "../michelson/type.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import type { TicketValue, Value } from "../michelson/value.ts";
import type { Context, TicketBalance } from "../state/context.ts";
import type { TicketUpdate } from "./receipt.ts";

interface Token {
  readonly ticket: TicketValue;
  readonly type: Type;
  readonly amount: bigint;
}

/** Identity of a ticket: ticketer, contents and their type. */
export function ticketId(ticketer: string, type: Type, contents: Value, gas?: GasMeter): string {
  const bytes = Buffer.concat([encodeMicheline(plainType(type)), packValue(type, contents, gas)]);
  gas?.spend(HASH_COSTS.blake2b(bytes.length));
  return `${ticketer}:${toHex(blake2b256(bytes))}`;
}

/** Amounts of tickets by identity. */
export class TicketSum {
  readonly #tokens = new Map<string, Token>();
  readonly #gas: GasMeter;

  constructor(gas: GasMeter) {
    this.#gas = gas;
  }

  add(type: Type, ticket: TicketValue, amount: bigint): void {
    const id = ticketId(ticket.ticketer, type, ticket.contents, this.#gas);
    const before = this.#tokens.get(id)?.amount ?? 0n;
    this.#tokens.set(id, { ticket, type, amount: before + amount });
  }

  /** All tickets, including those whose amounts cancel out. */
  get tokens(): ReadonlyMap<string, Token> {
    return this.#tokens;
  }

  /** Receipt of the changes for one owner, from the greatest hash of a ticket to the least, as in the protocol. */
  receipt(owner: string): readonly TicketUpdate[] {
    const changed = [...this.#tokens.values()].filter(({ amount }) => amount !== 0n);
    return (changed.length < 2 ? changed : inReceiptOrder(changed)).map(({ type, ticket, amount }) =>
      ticketUpdate(type, ticket, [[owner, amount]]),
    );
  }
}

function inReceiptOrder(tokens: readonly Token[]): readonly Token[] {
  const keyed = tokens.map((token) => ({
    token,
    key: entryKey(token.ticket.ticketer, token.type, token.ticket),
  }));
  return keyed.sort((a, b) => (a.key < b.key ? 1 : -1)).map(({ token }) => token);
}

/** Tickets carried by operations, by destination. */
export class TicketsSent {
  readonly #to = new Map<Address, TicketSum>();
  readonly #gas: GasMeter;

  constructor(gas: GasMeter) {
    this.#gas = gas;
  }

  /** The tickets for a destination, to add to. */
  to(destination: Address): TicketSum {
    const sum = this.#to.get(destination) ?? new TicketSum(this.#gas);
    this.#to.set(destination, sum);
    return sum;
  }

  /** Each ticket with its destinations and amounts. */
  get tokens(): ReadonlyMap<string, Token & { readonly to: readonly (readonly [Address, bigint])[] }> {
    const all = new Map<string, Token & { to: (readonly [Address, bigint])[] }>();
    for (const [destination, sum] of this.#to) {
      for (const [id, token] of sum.tokens) {
        const found = all.get(id) ?? { ...token, amount: 0n, to: [] };
        found.to.push([destination, token.amount]);
        all.set(id, { ...found, amount: found.amount + token.amount });
      }
    }
    return all;
  }
}

export const ticketUpdate = (
  type: Type,
  { ticketer, contents }: TicketValue,
  updates: readonly (readonly [string, bigint])[],
): TicketUpdate => ({
  ticket_token: {
    ticketer,
    content_type: plainType(type),
    content: unparseValue(type, contents, "optimized"),
  },
  updates: updates.map(([account, amount]) => ({ account, amount: amount.toString() })),
});

/**
 * Records what a contract keeps and sends after its run. Only its own tickets may increase.
 * @returns growth of the table in bytes
 * @throws MichelsonError invalid_ticket_transfer, Negative_ticket_balance
 */
export function moveTickets(context: Context, self: Address, kept: TicketSum, sent: TicketsSent): bigint {
  const invalid = ({ ticket: { ticketer } }: Token, amount: bigint): MichelsonError =>
    new MichelsonError(permanent("invalid_ticket_transfer", { ticketer, amount: amount.toString() }));
  let bytes = 0n;
  for (const [id, token] of kept.tokens) {
    if (token.amount > 0n && token.ticket.ticketer !== self) throw invalid(token, token.amount);
    bytes += adjust(context, self, id, token, token.amount);
  }
  for (const [id, token] of sent.tokens) {
    const spent = -(kept.tokens.get(id)?.amount ?? 0n);
    if (token.ticket.ticketer !== self && token.amount > spent) throw invalid(token, token.amount);
    for (const [owner, amount] of token.to) bytes += adjust(context, owner, id, token, amount);
  }
  return bytes;
}

/**
 * Transfers an amount of a ticket to another owner.
 * @returns growth of the table in bytes
 * @throws MichelsonError Negative_ticket_balance
 */
export function giveTicket(
  context: Context,
  from: Address,
  to: Address,
  [id, token]: readonly [string, Pick<Token, "ticket" | "type">],
  amount: bigint,
): bigint {
  return adjust(context, from, id, token, -amount) + adjust(context, to, id, token, amount);
}

/** Bytes of a table entry besides its amount. */
const ENTRY_BYTES = 65;
/** Key of the bytes used by all entries, and of the most that were ever paid for. */
const TABLE_BYTES = "ticketBytes";

interface TableBytes {
  readonly used: bigint;
  readonly paid: bigint;
}

/** Records growth of the table. @returns the bytes not paid for yet */
export function payForTickets(context: Context, growth: bigint): bigint {
  if (growth === 0n) return 0n;
  const before = (context.other(TABLE_BYTES) as TableBytes | undefined) ?? { used: 0n, paid: 0n };
  const used = before.used + growth;
  const owed = used > before.paid ? used - before.paid : 0n;
  context.setOther(TABLE_BYTES, { used, paid: before.paid + owed } satisfies TableBytes);
  return owed;
}

/** Bytes of a positive amount: six bits in the first, seven in each further byte. */
function amountBytes(amount: bigint): number {
  const bits = amount.toString(2).length;
  return 1 + Math.max(0, Math.ceil((bits - 6) / 7));
}

const entryBytes = (amount: bigint): number => (amount === 0n ? 0 : ENTRY_BYTES + amountBytes(amount));

function adjust(
  context: Context,
  owner: Address,
  id: string,
  { type, ticket }: Pick<Token, "ticket" | "type">,
  amount: bigint,
): bigint {
  const before = context.ticket(owner, id)?.amount ?? 0n;
  const after = before + amount;
  if (after < 0n) {
    throw new MichelsonError(
      permanent("Negative_ticket_balance", {
        key: entryKey(owner, type, ticket),
        balance: after.toString(),
      }),
    );
  }
  const balance: TicketBalance = {
    owner,
    ticketer: ticket.ticketer,
    type,
    contents: ticket.contents,
    amount: after,
  };
  context.setTicket(owner, id, after === 0n ? undefined : balance);
  return BigInt(entryBytes(after) - entryBytes(before));
}

/** Key of an entry in the protocol's table. Rule: Octez `ticket_balance_key.ml`. */
function entryKey(owner: string, type: Type, { ticketer, contents }: TicketValue): string {
  const [from, content, to] = [
    unparseValue(ADDRESS, ticketer, "packed"),
    unparseValue(type, contents, "packed"),
    unparseValue(ADDRESS, owner, "packed"),
  ];
  return scriptExpr(toHex(blake2b256(encodeMicheline([from, plainType(type), content, to]))));
}
