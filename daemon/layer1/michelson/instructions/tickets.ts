// Tickets: made by a contract, split and joined, never copied.
import { type Instruction, type Instructions, badStack } from "../instruction.ts";
import { ADDRESS, NAT, isComparable, sameType, type } from "../type.ts";
import { NONE, type PairValue, type TicketValue, compareValues, pair, some } from "../value.ts";

const ticket: Instruction = (node, stack, scope) => {
  const [contents, amount, ...rest] = stack;
  if (!contents || !isComparable(contents) || amount?.prim !== "nat") throw badStack(node, stack, scope);
  return {
    after: [type("option", type("ticket", contents)), ...rest],
    step: (frame, s) => {
      const value = s.pop()!;
      const count = s.pop() as bigint;
      s.push(count === 0n ? NONE : some({ ticketer: frame.self, contents: value, amount: count }));
    },
  };
};

const readTicket: Instruction = (node, stack, scope) => {
  const [top, ...rest] = stack;
  if (top?.prim !== "ticket") throw badStack(node, stack, scope);
  return {
    after: [type("pair", ADDRESS, type("pair", top.args[0]!, NAT)), top, ...rest],
    step: (_, s) => {
      const { ticketer, contents, amount } = s[s.length - 1] as TicketValue;
      s.push(pair(ticketer, pair(contents, amount)));
    },
  };
};

const splitTicket: Instruction = (node, stack, scope) => {
  const [top, amounts, ...rest] = stack;
  if (top?.prim !== "ticket" || !amounts || !sameType(amounts, type("pair", NAT, NAT)))
    throw badStack(node, stack, scope);
  return {
    after: [type("option", type("pair", top, top)), ...rest],
    step: (_, s) => {
      const whole = s.pop() as TicketValue;
      const { left, right } = s.pop() as PairValue;
      const [first, second] = [left as bigint, right as bigint];
      if (first === 0n || second === 0n || first + second !== whole.amount) s.push(NONE);
      else s.push(some(pair({ ...whole, amount: first }, { ...whole, amount: second })));
    },
  };
};

const joinTickets: Instruction = (node, stack, scope) => {
  const [top, ...rest] = stack;
  const [a, b] = top?.prim === "pair" ? top.args : [];
  if (a?.prim !== "ticket" || !b || !sameType(a, b)) throw badStack(node, stack, scope);
  return {
    after: [type("option", a), ...rest],
    step: (_, s) => {
      const { left, right } = s.pop() as PairValue;
      const [x, y] = [left as TicketValue, right as TicketValue];
      const same = x.ticketer === y.ticketer && compareValues(a.args[0]!, x.contents, y.contents) === 0;
      s.push(same ? some({ ...x, amount: x.amount + y.amount }) : NONE);
    },
  };
};

export const TICKET_INSTRUCTIONS: Instructions = {
  TICKET: ticket,
  READ_TICKET: readTicket,
  SPLIT_TICKET: splitTicket,
  JOIN_TICKETS: joinTickets,
};
