// An operation as blocks store it: contents and receipts as the text that RPCs answer, which takes a tenth to a sixtieth of
// the memory of the equivalent tree.
import type { AppliedContent } from "../operations/apply-operation.ts";
import type { IncludedOperation } from "./block.ts";

export interface KeptOperation extends IncludedOperation {
  /** Approximate bytes of memory. */
  readonly bytes: number;
}

/** Hash, branch and signature. */
const OVERHEAD = 500;

/** Functions that forget the trees of the latest operations, oldest first. */
const latest: (() => void)[] = [];
const MAX_LATEST = 64;
/** A tree takes much more memory than its text: those of longer operations are not kept. */
const MAX_LATEST_LENGTH = 4_000;

/**
 * Of the latest short operations the tree stays as well: one that was just included is read several times at once, by the
 * rollup, by followers and by those who wait for its receipt.
 */
export function keepOperation({
  hash,
  branch,
  signature,
  contents,
}: Omit<IncludedOperation, "text">): KeptOperation {
  const text = JSON.stringify(contentsJson(contents));
  let tree: readonly AppliedContent[] | undefined;
  if (text.length <= MAX_LATEST_LENGTH) {
    tree = contents;
    latest.push(() => (tree = undefined));
    if (latest.length > MAX_LATEST) latest.shift()!();
  }
  return {
    hash,
    branch,
    signature,
    text,
    /** Parsed on each access, unless the tree is still there. */
    get contents() {
      return tree ?? contentsOf(text);
    },
    bytes: text.length + OVERHEAD,
  };
}

/** Contents with their receipts, as in RPCs. */
export const contentsJson = (contents: readonly AppliedContent[]): readonly object[] =>
  contents.map(({ content, metadata }) => ({ ...content, metadata }));

const contentsOf = (text: string): readonly AppliedContent[] =>
  (JSON.parse(text) as (AppliedContent["content"] & Pick<AppliedContent, "metadata">)[]).map(
    ({ metadata, ...content }) => ({ content: content, metadata }),
  );
