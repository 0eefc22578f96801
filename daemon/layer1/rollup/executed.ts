// Which outbox messages have been executed: part of the chain's state, so that each runs once only.
import type { Context, ContextReader } from "../chain/context.ts";
import { MichelsonError, temporary } from "../michelson/michelson-error.ts";

const key = (level: number, index: number): string => `executed:${level}:${index}`;

export const isExecuted = (context: ContextReader, level: number, index: number): boolean =>
  context.other(key(level, index)) === true;

/** @throws MichelsonError when the message was executed before */
export function markExecuted(context: Context, level: number, index: number): void {
  if (isExecuted(context, level, index))
    throw new MichelsonError(temporary("smart_rollup_outbox_message_already_applied"));
  context.setOther(key(level, index), true);
}
