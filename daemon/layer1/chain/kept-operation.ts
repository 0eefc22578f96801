// An operation as blocks store it: contents and receipts as text, which takes a tenth to a sixtieth of the memory of the
// equivalent tree.
import type { AppliedContent } from "../operations/apply-operation.ts";
import type { IncludedOperation } from "./block.ts";

export interface KeptOperation extends IncludedOperation {
  /** Approximate bytes of memory. */
  readonly bytes: number;
}

/** Hash, branch and signature. */
const OVERHEAD = 500;

export function keepOperation({ hash, branch, signature, contents }: IncludedOperation): KeptOperation {
  const text = JSON.stringify(contents);
  return {
    hash,
    branch,
    signature,
    /** Parsed on each access. */
    get contents() {
      return JSON.parse(text) as readonly AppliedContent[];
    },
    bytes: text.length + OVERHEAD,
  };
}
