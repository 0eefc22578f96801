// Messages that the operations of a block put into the rollup inbox, kept in the state until the block is made.
import type { Context, ContextReader } from "./context.ts";

const KEY = "inbox";

/** Messages that the operations of the block under way have put in so far. */
export function inboxMessages(context: ContextReader): readonly string[] {
  return (context.other(KEY) as readonly string[] | undefined) ?? [];
}

export function addInboxMessage(context: Context, ...messages: readonly string[]): void {
  context.setOther(KEY, [...inboxMessages(context), ...messages]);
}

/** Empties the list at the start of a block. */
export function clearInbox(context: Context): void {
  if (inboxMessages(context).length > 0) context.setOther(KEY, []);
}
