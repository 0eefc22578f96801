// Inbox messages of deposits for tests, as layer 1 writes them.
import { decodeBase58 } from "../../tezos/base58.ts";
import { BRIDGE_ADDRESS, EXCHANGER_ADDRESS, INJECTOR, ROLLUP_ADDRESS } from "../../protocol/constants.ts";
import { toHex } from "../../tezos/hex.ts";
import { bytesOfAddress } from "./contract-bytes.ts";
import { encodeMicheline, type Micheline, pair, PRIM } from "./micheline.ts";
import { type Ticket, ticketValue } from "./ticket.ts";

function message(payload: Micheline, rollup = ROLLUP_ADDRESS): string {
  return toHex(
    Buffer.concat([
      Buffer.of(0, 0),
      encodeMicheline(payload),
      decodeBase58("KT1", BRIDGE_ADDRESS)!,
      bytesOfAddress(INJECTOR.address).subarray(1),
      decodeBase58("sr1", rollup)!,
    ]),
  );
}

export interface DepositParts {
  readonly ticketer?: string;
  readonly rollup?: string;
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
  const payload = { prim: PRIM.Left, args: [pair({ bytes: bytesOfAddress(receiver) }, ticketValue(ticket))] };
  return message(payload, parts.rollup);
}

/** Message of a deposit of another token. */
export function faDepositMessage(receiver: string, proxy: string | null, ticket: Ticket): string {
  const option: Micheline =
    proxy === null
      ? { prim: PRIM.None, args: [] }
      : { prim: PRIM.Some, args: [{ bytes: bytesOfAddress(proxy) }] };
  const payload = pair({ bytes: bytesOfAddress(receiver) }, pair(option, ticketValue(ticket)));
  return message({ prim: PRIM.Right, args: [payload] });
}
