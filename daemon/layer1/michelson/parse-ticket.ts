// Tickets in data. Literals are allowed only for tickets that an account already owns.
import { isImplicit, isOriginated, splitAddress } from "../../tezos/address.ts";
import {
  type Arguments,
  hasArity,
  isPrim,
  type Micheline,
  type MichelinePrim,
} from "../../tezos/micheline.ts";
import { type Job } from "../job.ts";
import type { GasMeter } from "./gas.ts";
import { MichelsonError, type ProtocolErrorFields, permanent } from "./michelson-error.ts";
import { parseType, TYPE_RULES } from "./parse-type.ts";
import { wrongPrimitive } from "./type-errors.ts";
import { ADDRESS, NAT, plainType, sameType, type Type, type, type TypeOf } from "./type.ts";
import { type PairValue, type TicketValue, type Value, ticketOf } from "./value.ts";

/** The parts of the data reader that reading a ticket needs. */
export interface TicketReading {
  readonly isAllowed: boolean;
  readonly gas: GasMeter;
  read(t: Type, node: Micheline): Job<Value>;
  /** Location of a node, for errors. */
  at(node: Micheline): number;
  /** The error for a datum that does not have its type. */
  wrong(t: Type, node: Micheline): ProtocolErrorFields;
  /** The error for a datum that is not a primitive. */
  badKind(node: Micheline): MichelsonError;
}

/**
 * Reads a ticket literal, or the older notation as a pair.
 * @throws MichelsonError
 */
export function* readTicket(t: TypeOf<"ticket">, node: Micheline, reading: TicketReading): Job<TicketValue> {
  if (!reading.isAllowed)
    throw new MichelsonError(
      reading.wrong(t, node),
      permanent("michelson_v1.unexpected_forged_value", { location: reading.at(node) }),
    );
  const [contentsType] = t.args;
  if (!isPrim(node)) throw reading.badKind(node);
  const ticket =
    node.prim === "Ticket" && node.args && hasArity(node.args, 4)
      ? yield* literalTicket(contentsType, node, node.args, reading)
      : yield* pairedTicket(contentsType, node, reading);
  if (ticket.amount === 0n)
    throw new MichelsonError(reading.wrong(t, node), permanent("michelson_v1.forbidden_zero_amount_ticket"));
  if (!isImplicit(ticket.ticketer) && !isOriginated(ticket.ticketer))
    throw new MichelsonError(
      permanent("michelson_v1.unexpected_ticket_owner", { ticketer: ticket.ticketer }),
    );
  return ticket;
}

function* literalTicket(
  contentsType: Type,
  node: Micheline,
  args: Arguments<4>,
  reading: TicketReading,
): Job<TicketValue> {
  const named = parseType(args[1], { rules: TYPE_RULES.any, gas: reading.gas });
  if (!sameType(contentsType, named, reading.gas))
    throw new MichelsonError(
      permanent("michelson_v1.inconsistent_types", {
        loc: reading.at(node),
        first_type: plainType(contentsType),
        other_type: plainType(named),
      }),
    );
  const ticketer = splitAddress((yield* reading.read(ADDRESS, args[0])) as string).address;
  const contents = yield* reading.read(contentsType, args[2]);
  return ticketOf(ticketer, contents, (yield* reading.read(NAT, args[3])) as bigint);
}

function* pairedTicket(contentsType: Type, node: MichelinePrim, reading: TicketReading): Job<TicketValue> {
  if (node.prim !== "Pair") throw wrongPrimitive(node.prim, ["Ticket", "Pair"], "constant", reading.at(node));
  const t = type("pair", ADDRESS, type("pair", contentsType, NAT));
  const opened = (yield* reading.read(t, node)) as PairValue;
  const rest = opened.right as PairValue;
  return ticketOf(splitAddress(opened.left as string).address, rest.left, rest.right as bigint);
}
