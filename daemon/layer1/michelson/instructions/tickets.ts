// Tickets: created by a contract, split and joined, never duplicated.
import { bytesOf } from "../../../tezos/number-length.ts";
import { COMPARE_ADDRESS, FIXED, compareCost, linearCost } from "../costs.ts";
import {
  type Instruction,
  type Instructions,
  argumentsOf,
  badStack,
  does,
  inconsistentTypes,
  isSame,
} from "../instruction.ts";
import { requireComparable } from "../type-rules.ts";
import { ADDRESS, NAT, type, typeSize } from "../type.ts";
import { NONE, type PairValue, type TicketValue, compareValues, pair, some, ticketOf } from "../value.ts";

const SPLIT_COST = 5;

const ticket: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const [contents, amount] = stack.head(2);
  if (!contents || amount?.prim !== "nat") throw badStack(node, stack, scope, 2);
  requireComparable(contents, node, scope);
  return does(stack.drop(2).under(type("option", type("ticket", contents))), (m, s) => {
    m.gas.spend(FIXED.step);
    const value = s.pop();
    const count = s.pop() as bigint;
    s.push(count === 0n ? NONE : some(ticketOf(m.frame.self, value, count)));
  });
};

const readTicket: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const { top } = stack;
  if (top?.prim !== "ticket") throw badStack(node, stack, scope);
  return does(stack.under(type("pair", ADDRESS, type("pair", top.args[0], NAT))), (m, s) => {
    m.gas.spend(FIXED.step);
    const { ticketer, contents, amount } = s[s.length - 1] as TicketValue;
    s.push(pair(ticketer, pair(contents, amount)));
  });
};

const splitTicket: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const [top, amounts] = stack.head(2);
  const isSplit =
    top?.prim === "ticket" && amounts?.prim === "pair" && amounts.args.every(({ prim }) => prim === "nat");
  if (!isSplit) throw badStack(node, stack, scope, 2);
  return does(stack.drop(2).under(type("option", type("pair", top, top))), (m, s) => {
    const whole = s.pop() as TicketValue;
    const { left, right } = s.pop() as PairValue;
    const [first, second] = [left as bigint, right as bigint];
    m.gas.spend(SPLIT_COST + linearCost(bytesOf(first), bytesOf(second)));
    if (first === 0n || second === 0n || first + second !== whole.amount) s.push(NONE);
    else {
      const { ticketer, contents } = whole;
      s.push(some(pair(ticketOf(ticketer, contents, first), ticketOf(ticketer, contents, second))));
    }
  });
};

const joinTickets: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const { top } = stack;
  const [a, b] = top?.prim === "pair" ? top.args : [];
  if (a?.prim !== "ticket" || b?.prim !== "ticket") throw badStack(node, stack, scope);
  const contents = a.args[0];
  if (!isSame(contents, b.args[0], scope)) throw inconsistentTypes(contents, b.args[0], scope.location(node));
  return does(
    stack.drop(1).under(type("option", a)),
    ({ gas }, s) => {
      const { left, right } = s.pop() as PairValue;
      const [x, y] = [left as TicketValue, right as TicketValue];
      gas.spend(compareCost(contents, x.contents, y.contents) + COMPARE_ADDRESS);
      gas.spend(linearCost(bytesOf(x.amount), bytesOf(y.amount)));
      const same = x.ticketer === y.ticketer && compareValues(contents, x.contents, y.contents) === 0;
      if (!same) {
        s.push(NONE);
        return;
      }
      const amount = x.amount + y.amount;
      gas.reserveNumber(bytesOf(amount));
      s.push(some(ticketOf(x.ticketer, x.contents, amount)));
    },
    typeSize(contents),
  );
};

export const TICKET_INSTRUCTIONS: Instructions = {
  TICKET: ticket,
  READ_TICKET: readTicket,
  SPLIT_TICKET: splitTicket,
  JOIN_TICKETS: joinTickets,
};
