// The exact bytes of rollup inbox messages. Source of the format: Octez, `sc_rollup_inbox_message_repr.ml`.
import { type Address, bytesOfAddress, encodeAddress, keyHashBytes, readKeyHash } from "./address.ts";
import { ByteReader, MalformedBytes } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { toHex } from "./hex.ts";
import { readMicheline } from "./micheline-binary.ts";
import type { Micheline } from "./micheline.ts";

const INTERNAL = 0;
const EXTERNAL = 1;
const TRANSFER = 0;
const START_OF_LEVEL = 1;
const END_OF_LEVEL = 2;
const INFO_PER_LEVEL = 3;

/** Who sent what: `sender` is the contract that called the rollup, `source` the signer of the operation. */
export interface RollupTransfer<Payload> {
  readonly payload: Payload;
  readonly sender: Address;
  readonly source: Address;
  readonly rollup: Address;
}

/** The hash in the address of a contract or rollup: behind a tag, before a zero. */
const hashOfContract = (address: Address): Uint8Array => bytesOfAddress(address).subarray(1, -1);

/** Hex of a transfer from a contract to the rollup. */
export function transferMessage({ payload, sender, source, rollup }: RollupTransfer<Uint8Array>): string {
  const writer = new ByteWriter().byte(INTERNAL).byte(TRANSFER).bytes(payload);
  writer.bytes(hashOfContract(sender)).bytes(keyHashBytes(source)!).bytes(hashOfContract(rollup));
  return toHex(writer.finish());
}

/** Decodes a transfer; undefined when the message is of another kind or malformed. */
export function readTransfer(bytes: Uint8Array): RollupTransfer<Micheline> | undefined {
  if (bytes[0] !== INTERNAL || bytes[1] !== TRANSFER) return undefined;
  try {
    const reader = new ByteReader(bytes, 2);
    const transfer = {
      payload: readMicheline(reader),
      sender: encodeAddress("KT1", reader.take(20)),
      source: readKeyHash(reader),
      rollup: encodeAddress("sr1", reader.take(20)),
    };
    reader.expectEnd();
    return transfer;
  } catch (error) {
    if (error instanceof MalformedBytes) return undefined;
    throw error;
  }
}

/** An external message, as hex. */
export const externalMessage = (hex: string): string => `0${EXTERNAL}${hex}`;

/** The messages of a whole level: the framing ones, and between them those of its operations in order. */
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
