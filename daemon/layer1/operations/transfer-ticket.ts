// Transfers a user's ticket to an account or a contract.
import { type Address, isImplicit } from "../../tezos/address.ts";
import type { TransferTicket } from "../../tezos/content.ts";
import { encodedLength } from "../../tezos/micheline-binary.ts";
import { NO_TEZ } from "../../tezos/mutez.ts";
import type { Job } from "../job.ts";
import { deserializeCost } from "../michelson/check-costs.ts";
import { MichelsonError, permanent } from "../michelson/michelson-error.ts";
import { TYPE_RULES, parseType } from "../michelson/parse-type.ts";
import { readValue } from "../michelson/parse-value.ts";
import { type } from "../michelson/type.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import type { TicketValue } from "../michelson/value.ts";
import { type Applied } from "./apply-transaction.ts";
import { type Execution } from "./execution.ts";
import { dataScope } from "./read-data.ts";
import { giveTicket, payForTickets, ticketId, ticketUpdate } from "./ticket-table.ts";

/** A ticket for a contract becomes the argument of an internal operation. */
export function* transferTicket(execution: Execution, content: TransferTicket): Job<Applied> {
  const { context, gas } = execution;
  const { source, destination, entrypoint } = content;
  if (isImplicit(destination) && entrypoint !== "default")
    throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint }));
  for (const expression of [content.ticket_ty, content.ticket_contents])
    gas.spend(deserializeCost(encodedLength(expression)));
  const t = parseType(content.ticket_ty, { rules: TYPE_RULES.comparable, gas });
  const contents = yield* readValue(t, content.ticket_contents, dataScope(execution));
  const amount = BigInt(content.ticket_amount);
  const ticket: TicketValue = { ticketer: content.ticket_ticketer, contents, amount };
  const id = ticketId(ticket.ticketer, t, contents, gas);
  const growth = giveTicket(context, source, destination, [id, { ticket, type: t }], amount);
  const bytes = payForTickets(context, growth);
  const moved: [Address, bigint][] = [[source, -amount]];
  if (isImplicit(destination)) moved.push([destination, amount]);
  const argumentType = type("ticket", t);
  const written = unparseValue(argumentType, ticket, "optimized", gas);
  return {
    parts: {
      ticket_updates: [ticketUpdate(t, ticket, moved)],
      ...(bytes > 0n && { paid_storage_size_diff: bytes.toString() }),
    },
    emitted: isImplicit(destination)
      ? []
      : [
          {
            kind: "transaction",
            source,
            nonce: execution.counters.nonce++,
            amount: NO_TEZ,
            destination,
            entrypoint,
            type: argumentType,
            argument: ticket,
            written,
            diffs: [],
          },
        ],
    owed: { bytes, isNew: false, order: ["moved", "bytes"] },
  };
}
