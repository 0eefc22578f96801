// Inbox messages of deposits for tests, as layer 1 writes them.
import { BRIDGE_ADDRESS, EXCHANGER_ADDRESS, INJECTOR, ROLLUP_ADDRESS } from "../../protocol/constants.ts";
import { type Address, addressOf } from "../../tezos/address.ts";
import { transferMessage } from "../../tezos/inbox-message.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { type Micheline, prim } from "../../tezos/micheline.ts";
import { addressValue } from "./deposit-value.ts";
import { type Ticket, ticketValue } from "./ticket.ts";

/** A message with this payload from the bridge. */
export const messageOf = (payload: Micheline, rollup = ROLLUP_ADDRESS): string =>
  transferMessage({
    payload: encodeMicheline(payload),
    sender: BRIDGE_ADDRESS,
    source: INJECTOR.address,
    rollup,
  });

export interface DepositParts {
  readonly ticketer?: Address;
  readonly rollup?: Address;
  readonly id?: bigint;
  readonly content?: Uint8Array | null;
}

/** Message of a tez deposit. */
export function tezDepositMessage(receiver: string, amount: bigint, parts: DepositParts = {}): string {
  const ticket = {
    ticketer: parts.ticketer ?? EXCHANGER_ADDRESS,
    id: parts.id ?? 0n,
    content: parts.content ?? null,
    amount,
  };
  return messageOf(
    prim("Left", prim("Pair", addressValue(addressOf(receiver)), ticketValue(ticket))),
    parts.rollup,
  );
}

/** Message of a deposit of another token. */
export function faDepositMessage(receiver: string, proxy: string | null, ticket: Ticket): string {
  const option = proxy === null ? prim("None") : prim("Some", addressValue(addressOf(proxy)));
  const inner = prim("Pair", option, ticketValue(ticket));
  return messageOf(prim("Right", prim("Pair", addressValue(addressOf(receiver)), inner)));
}
