// Records which outbox messages have been executed. Part of the chain's state, so that each runs only once.
import { MichelsonError, temporary } from "../michelson/michelson-error.ts";
import type { Context, ContextReader } from "./context.ts";

/** One entry per level: bit `index` is set once that message was executed. */
const key = (level: number): string => `executed:${level}`;

const executedAt = (context: ContextReader, level: number): bigint =>
  (context.other(key(level)) as bigint | undefined) ?? 0n;

export const isExecuted = (context: ContextReader, level: number, index: number): boolean =>
  ((executedAt(context, level) >> BigInt(index)) & 1n) === 1n;

/** @throws MichelsonError when the message was already executed */
export function markExecuted(context: Context, level: number, index: number): void {
  if (isExecuted(context, level, index))
    throw new MichelsonError(temporary("smart_rollup_outbox_message_already_applied"));
  context.setOther(key(level), executedAt(context, level) | (1n << BigInt(index)));
}
