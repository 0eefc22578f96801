// The rollup inbox: messages of a level in their exact bytes. Source of the format: Octez,
// `sc_rollup_inbox_message_repr.ml`.
import { decodeBase58 } from "../../tezos/base58.ts";
import { toHex } from "../../tezos/hex.ts";
import type { Context, ContextReader } from "./context.ts";
import { keyHashBytes } from "../../tezos/address.ts";
import { ByteWriter } from "../../tezos/byte-writer.ts";

const INTERNAL = 0;
const EXTERNAL = 1;
const TRANSFER = 0;
const START_OF_LEVEL = 1;
const END_OF_LEVEL = 2;
const INFO_PER_LEVEL = 3;

/** A transfer from a contract to the rollup. `source` is the signer of the operation. */
export function internalMessage(payload: Uint8Array, sender: string, source: string, rollup: string): string {
  const writer = new ByteWriter().byte(INTERNAL).byte(TRANSFER).bytes(payload);
  writer.bytes(decodeBase58("KT1", sender)!).bytes(keyHashBytes(source)!).bytes(decodeBase58("sr1", rollup)!);
  return toHex(writer.finish());
}

/** A message that somebody put in from outside, as hex. */
export const externalMessage = (hex: string): string => `0${EXTERNAL}${hex}`;

/** The messages of a whole level: what frames it, and what came in by its operations, in their order. */
export function levelMessages(
  predecessorTimestamp: bigint,
  predecessorHash: Uint8Array,
  messages: readonly string[],
): readonly string[] {
  const timestamp = new Uint8Array(8);
  new DataView(timestamp.buffer).setBigInt64(0, predecessorTimestamp);
  const info = new ByteWriter().byte(INTERNAL).byte(INFO_PER_LEVEL).bytes(timestamp).bytes(predecessorHash);
  return [
    toHex(Uint8Array.of(INTERNAL, START_OF_LEVEL)),
    toHex(info.finish()),
    ...messages,
    toHex(Uint8Array.of(INTERNAL, END_OF_LEVEL)),
  ];
}

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
