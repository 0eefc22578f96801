// Messages that the operations of a block add to the rollup inbox, kept in the state until the block is made.
import type { Context, ContextReader } from "./context.ts";

const KEY = "inbox";

/** Messages added so far by the operations of the next block. */
export function inboxMessages(context: ContextReader): readonly string[] {
  return (context.other(KEY) as readonly string[] | undefined) ?? [];
}

export function addInboxMessage(context: Context, ...messages: readonly string[]): void {
  context.setOther(KEY, [...inboxMessages(context), ...messages]);
}

/** Number of messages that open each level. */
const FIRST_MESSAGES = 2;

/**
 * Milligas for adding a message to the inbox, which hashes it and a cell of a skip list.
 * @param ahead messages of the same operation added before it
 * Source: Octez, `cost_add_message` in `sc_rollup_costs.ml` and `skip_list_costs_generated.ml`.
 */
export function messageCost(context: ContextReader, bytes: number, ahead = 0): number {
  const index = FIRST_MESSAGES + inboxMessages(context).length + ahead;
  const levels = logarithm(index + 2);
  const nextCell = Math.max(10, 19 * levels + (levels >> 1));
  return 250 + 57 * logarithm(index) + 430 + bytes + (bytes >> 3) + nextCell;
}

/** One more than the bits of a number, as the protocol counts them. */
const logarithm = (value: number): number => 33 - Math.clz32(value);

/** Milligas for serializing an external message. */
export const externalMessageCost = (bytes: number): number => 4 * bytes;

/** Empties the list at the start of a block. */
export function clearInbox(context: Context): void {
  if (inboxMessages(context).length > 0) context.setOther(KEY, []);
}
