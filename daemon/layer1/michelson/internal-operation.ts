// Operations emitted by scripts, as the chain applies them.
import { type Address, addressBytes, isRollup, keyHashBytes } from "../../tezos/address.ts";
import { ByteWriter } from "../../tezos/byte-writer.ts";
import { writeEntrypoint } from "../../tezos/entrypoint-codec.ts";
import { writeMicheline } from "../../tezos/micheline-binary.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import type { Mutez } from "../../tezos/mutez.ts";
import type { BigMapDiff } from "./big-map-diff.ts";
import type { Type } from "./type.ts";
import type { Value } from "./value.ts";

interface Emitted {
  readonly nonce: number;
  /** The contract that emitted it. */
  readonly source: Address;
}

export interface InternalTransaction extends Emitted {
  readonly kind: "transaction";
  readonly amount: Mutez;
  readonly destination: Address;
  readonly entrypoint: string;
  readonly type: Type;
  readonly argument: Value;
  /** The argument as shown in receipts. */
  readonly written: Micheline;
  /** What makes the big maps in it, when the emitting contract's storage is written. */
  readonly diffs: readonly BigMapDiff[];
}

export interface InternalOrigination extends Emitted {
  readonly kind: "origination";
  readonly address: Address;
  readonly balance: Mutez;
  readonly delegate: Address | undefined;
  readonly code: Micheline;
  readonly storageType: Type;
  readonly storage: Value;
  readonly written: Micheline;
  readonly diffs: readonly BigMapDiff[];
}

export interface InternalDelegation extends Emitted {
  readonly kind: "delegation";
  readonly delegate: Address | undefined;
}

export interface InternalEvent extends Emitted {
  readonly kind: "event";
  readonly tag: string | undefined;
  readonly type: Micheline;
  readonly written: Micheline;
}

export type InternalOperation =
  | InternalTransaction
  | InternalOrigination
  | InternalDelegation
  | InternalEvent;

/** What makes the big maps of emitted operations, in the order of the operations. */
export const emittedDiffs = (operations: readonly InternalOperation[]): readonly BigMapDiff[] =>
  operations.flatMap((operation) => ("diffs" in operation ? operation.diffs : []));

const TAGS = { transaction: 1, origination: 2, delegation: 3, event: 4 } as const;

/** Bytes of an operation, as in the stack of a trace. Source: Octez, `apply_internal_results.ml`. */
export function encodeInternal(operation: InternalOperation): Uint8Array {
  const writer = new ByteWriter();
  writer.bytes(addressBytes(operation.source)!);
  writer.byte(operation.nonce >> 8).byte(operation.nonce & 0xff);
  writer.byte(TAGS[operation.kind]);
  switch (operation.kind) {
    case "transaction": {
      const { written, entrypoint } = operation;
      writer.natural(operation.amount).bytes(addressBytes(operation.destination)!);
      const isPlain = entrypoint === "default" && "prim" in written && written.prim === "Unit";
      writer.flag(!isPlain || isRollup(operation.destination));
      if (!isPlain || isRollup(operation.destination)) {
        writeEntrypoint(writer, entrypoint);
        writer.measured(() => writeMicheline(writer, written));
      }
      break;
    }
    case "origination":
      writer.natural(operation.balance);
      writeDelegate(writer, operation.delegate);
      writer.measured(() => writeMicheline(writer, operation.code));
      writer.measured(() => writeMicheline(writer, operation.written));
      break;
    case "delegation":
      writeDelegate(writer, operation.delegate);
      break;
    case "event":
      writeMicheline(writer, operation.type);
      writer.flag(operation.tag !== undefined);
      if (operation.tag !== undefined) writeEntrypoint(writer, operation.tag);
      writer.flag(true);
      writeMicheline(writer, operation.written);
  }
  return writer.finish();
}

function writeDelegate(writer: ByteWriter, delegate: string | undefined): void {
  writer.flag(delegate !== undefined);
  if (delegate !== undefined) writer.bytes(keyHashBytes(delegate)!);
}
