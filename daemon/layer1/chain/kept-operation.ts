// An operation of a block as it is kept: its contents and receipts are text, which takes a tenth to a sixtieth of the
// memory of the tree that it says.
import type { AppliedContent } from "../operations/apply-operation.ts";
import type { IncludedOperation } from "./block.ts";

export interface KeptOperation extends IncludedOperation {
  /** Bytes, about, that it takes. */
  readonly bytes: number;
}

/** Beside contents and receipts: hash, branch, signature. */
const OVERHEAD = 500;

export function keepOperation({ hash, branch, signature, contents }: IncludedOperation): KeptOperation {
  const text = JSON.stringify(contents);
  return {
    hash,
    branch,
    signature,
    /** Made anew each time. */
    get contents() {
      return JSON.parse(text) as readonly AppliedContent[];
    },
    bytes: text.length + OVERHEAD,
  };
}
