// Tickets: made by a contract, split and joined, never copied.
import { FIXED, bytesOf, compareCost, linearCost } from "../costs.ts";
import { type Instruction, type Instructions, badStack, does } from "../instruction.ts";
import { ADDRESS, NAT, isComparable, sameType, type } from "../type.ts";
import { NONE, type PairValue, type TicketValue, compareValues, pair, some } from "../value.ts";

const ticket: Instruction = (node, stack, scope) => {
  const [contents, amount] = stack.head(2);
  if (!contents || !isComparable(contents) || amount?.prim !== "nat") throw badStack(node, stack, scope);
  return does(stack.drop(2).under(type("option", type("ticket", contents))), (m, s) => {
    m.gas.spend(FIXED.wrap);
    const value = s.pop()!;
    const count = s.pop() as bigint;
    s.push(count === 0n ? NONE : some({ ticketer: m.frame.self, contents: value, amount: count }));
  });
};

const readTicket: Instruction = (node, stack, scope) => {
  const { top } = stack;
  if (top?.prim !== "ticket") throw badStack(node, stack, scope);
  return does(stack.under(type("pair", ADDRESS, type("pair", top.args[0]!, NAT))), (m, s) => {
    m.gas.spend(FIXED.wrap);
    const { ticketer, contents, amount } = s[s.length - 1] as TicketValue;
    s.push(pair(ticketer, pair(contents, amount)));
  });
};

const splitTicket: Instruction = (node, stack, scope) => {
  const [top, amounts] = stack.head(2);
  if (top?.prim !== "ticket" || !amounts || !sameType(amounts, type("pair", NAT, NAT)))
    throw badStack(node, stack, scope);
  return does(stack.drop(2).under(type("option", type("pair", top, top))), (m, s) => {
    const whole = s.pop() as TicketValue;
    const { left, right } = s.pop() as PairValue;
    const [first, second] = [left as bigint, right as bigint];
    m.gas.spend(linearCost(bytesOf(first), bytesOf(second)));
    if (first === 0n || second === 0n || first + second !== whole.amount) s.push(NONE);
    else s.push(some(pair({ ...whole, amount: first }, { ...whole, amount: second })));
  });
};

const joinTickets: Instruction = (node, stack, scope) => {
  const { top } = stack;
  const [a, b] = top?.prim === "pair" ? top.args : [];
  if (a?.prim !== "ticket" || !b || !sameType(a, b)) throw badStack(node, stack, scope);
  const contents = a.args[0]!;
  return does(stack.drop(1).under(type("option", a)), ({ gas }, s) => {
    const { left, right } = s.pop() as PairValue;
    const [x, y] = [left as TicketValue, right as TicketValue];
    gas.spend(compareCost(contents, x.contents, y.contents));
    gas.spend(linearCost(bytesOf(x.amount), bytesOf(y.amount)));
    const same = x.ticketer === y.ticketer && compareValues(contents, x.contents, y.contents) === 0;
    if (!same) {
      s.push(NONE);
      return;
    }
    const amount = x.amount + y.amount;
    gas.takeNumber(bytesOf(amount));
    s.push(some({ ...x, amount }));
  });
};

export const TICKET_INSTRUCTIONS: Instructions = {
  TICKET: ticket,
  READ_TICKET: readTicket,
  SPLIT_TICKET: splitTicket,
  JOIN_TICKETS: joinTickets,
};
