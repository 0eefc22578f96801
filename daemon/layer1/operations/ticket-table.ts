// Who holds which tickets. A transaction carries tickets to its destination when it is emitted; what a
// contract then does with them shows in the difference of its storage.
// Source of the rule: Octez `ticket_accounting.ml`.
import { blake2b256 } from "../../tezos/blake2b.ts";
import type { Context, ContextReader, TicketBalance } from "../state/context.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { HASH_COSTS } from "../michelson/costs.ts";
import type { GasMeter } from "../michelson/gas.ts";
import { inOrder } from "../michelson/ordered-tree.ts";
import { MichelsonError, permanent } from "../michelson/michelson-error.ts";
import { packValue } from "../michelson/pack.ts";
import { type Type, isDuplicable, plainType } from "../michelson/type.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import {
  type BigMapValue,
  type ListValue,
  type MapValue,
  type OptionValue,
  type OrValue,
  type PairValue,
  type TicketValue,
  type Value,
  bigMapChanges,
  itemsOf,
} from "../michelson/value.ts";
import type { TicketUpdate } from "./receipt.ts";

/** Milligas for each place of a value that is looked at for tickets, also of one that can hold none. */
const VISIT_GAS = 80;

interface Change {
  readonly ticket: TicketValue;
  readonly type: Type;
  readonly amounts: Map<string, bigint>;
}

/** Identity of a ticket: who made it, contents and their type. */
export function ticketId(ticketer: string, type: Type, contents: Value, gas?: GasMeter): string {
  const bytes = Buffer.concat([encodeMicheline(plainType(type)), packValue(type, contents, gas)]);
  gas?.spend(HASH_COSTS.blake2b(bytes.length));
  return `${ticketer}:${Buffer.from(blake2b256(bytes)).toString("hex")}`;
}

/** Gathers changes of ticket balances and puts them into the state together. */
export class TicketChanges {
  readonly #changes = new Map<string, Change>();
  readonly #gas: GasMeter;

  constructor(gas: GasMeter) {
    this.#gas = gas;
  }

  /** Adds `sign` times every ticket in the value to the owner. Stored big map entries count when `context` is given. */
  collect(owner: string, sign: 1n | -1n, type: Type, value: Value, context?: ContextReader): void {
    this.#visit(owner, sign, type, value, context);
  }

  #visit(owner: string, sign: 1n | -1n, t: Type, value: Value, context: ContextReader | undefined): void {
    this.#gas.spend(VISIT_GAS);
    if (isDuplicable(t)) return;
    const inner = (type: Type, v: Value): void => this.#visit(owner, sign, type, v, context);
    const [first, second] = t.args;
    switch (t.prim) {
      case "ticket":
        this.add(owner, first!, value as TicketValue, sign * (value as TicketValue).amount);
        return;
      case "pair":
        inner(first!, (value as PairValue).left);
        inner(second!, (value as PairValue).right);
        return;
      case "option":
        if ((value as OptionValue).some !== undefined) inner(first!, (value as OptionValue).some!);
        return;
      case "or":
        inner((value as OrValue).isLeft ? first! : second!, (value as OrValue).value);
        return;
      case "list":
        for (const item of itemsOf(value as ListValue)) inner(first!, item);
        return;
      case "map":
        for (const entry of inOrder((value as MapValue).entries)) inner(second!, entry.value);
        return;
      case "big_map": {
        const { id } = value as BigMapValue;
        for (const [hash, change] of bigMapChanges(value as BigMapValue)) {
          if (change.value !== undefined) inner(second!, change.value);
          const stored = id === undefined ? undefined : context?.bigMapEntry(id, hash);
          if (stored) this.#visit(owner, sign === 1n ? -1n : 1n, second!, stored.value, context);
        }
        return;
      }
      default:
        return;
    }
  }

  /** Changes the balance of one owner of one ticket. */
  add(owner: string, type: Type, ticket: TicketValue, amount: bigint): void {
    const id = ticketId(ticket.ticketer, type, ticket.contents, this.#gas);
    const change = this.#changes.get(id) ?? { ticket, type, amounts: new Map<string, bigint>() };
    this.#changes.set(id, change);
    change.amounts.set(owner, (change.amounts.get(owner) ?? 0n) + amount);
  }

  /** Writes the changes and describes them. @throws MichelsonError when an owner would have less than none */
  apply(context: Context): readonly TicketUpdate[] {
    const updates: TicketUpdate[] = [];
    for (const [id, { ticket, type, amounts }] of this.#changes) {
      const moved = [...amounts].filter(([, amount]) => amount !== 0n);
      if (moved.length === 0) continue;
      for (const [owner, amount] of moved) adjust(context, owner, id, type, ticket, amount);
      updates.push({
        ticket_token: {
          ticketer: ticket.ticketer,
          content_type: plainType(type),
          content: unparseValue(type, ticket.contents, "optimized"),
        },
        updates: moved.map(([account, amount]) => ({ account, amount: amount.toString() })),
      });
    }
    return updates;
  }
}

function adjust(
  context: Context,
  owner: string,
  id: string,
  type: Type,
  ticket: TicketValue,
  amount: bigint,
): void {
  const before = context.ticket(owner, id)?.amount ?? 0n;
  const after = before + amount;
  if (after < 0n) {
    throw new MichelsonError(
      permanent("ticket_balance.negative_ticket_balance", { key: id, balance: before.toString() }),
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
}
