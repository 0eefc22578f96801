// Micheline in rows: kept in its binary form and parsed on demand, since a tree of small objects takes ten to sixty times the
// memory of its bytes.
import { decodeMicheline, encodeMicheline } from "../../tezos/micheline-binary.ts";
import { isSequence, type Micheline } from "../../tezos/micheline.ts";
import { codeOfPrimitive } from "../../tezos/primitives.ts";
import { treeWeight } from "./tree-weight.ts";

/** Deeper values stay trees: both codecs recurse. */
const MAX_DEPTH = 500;
/** Larger values stay trees: parsing one again takes up to 40 ms. */
const MAX_NODES = 100_000;
/** Longer numbers stay text: converting one to decimal takes more than linear time. */
const MAX_DIGITS = 1_000;
/** Bytes of a string object without its characters, and of this object. */
const OVERHEAD = 24 + 32;

const INT = new RegExp(`^(?:0|-?[1-9]\\d{0,${MAX_DIGITS - 1}})$`);
const HEX = /^(?:[0-9a-f]{2})*$/;
/** Texts without lone surrogates, which UTF-8 cannot express. */
const PLAIN = /^[ -~\n]*$/;
const ANNOTATION = /^[!-~]+$/;

export class PackedNode {
  /** One character per byte, or the tree when the binary form cannot repeat it exactly. */
  readonly #kept: string | { readonly tree: Micheline };

  constructor(node: Micheline) {
    this.#kept = isExact(node) ? Buffer.from(encodeMicheline(node)).toString("latin1") : { tree: node };
  }

  /** The expression as it was. Parsed on each access. */
  get node(): Micheline {
    const kept = this.#kept;
    return typeof kept === "string" ? decodeMicheline(Buffer.from(kept, "latin1")) : kept.tree;
  }

  /** Estimated bytes of memory. */
  get weight(): number {
    const kept = this.#kept;
    return OVERHEAD + (typeof kept === "string" ? kept.length : treeWeight(kept.tree));
  }
}

/** Whether the binary form repeats the expression exactly. An operator's node may answer anything. */
function isExact(root: Micheline): boolean {
  let level: unknown[] = [root];
  let nodes = 0;
  for (let depth = 0; level.length > 0; depth++) {
    nodes += level.length;
    if (depth > MAX_DEPTH || nodes > MAX_NODES) return false;
    const next: unknown[] = [];
    for (const node of level) if (!isExactNode(node, next)) return false;
    level = next;
  }
  return true;
}

/** @param into receives the children */
function isExactNode(node: unknown, into: unknown[]): boolean {
  if (typeof node !== "object" || node === null) return false;
  if (isSequence(node as Micheline)) {
    for (const item of node as readonly unknown[]) into.push(item);
    return true;
  }
  const names = Object.keys(node);
  const { int, string, bytes, prim, args, annots } = node as Readonly<Record<string, unknown>>;
  if (typeof prim !== "string")
    return (
      names.length === 1 &&
      ((typeof int === "string" && INT.test(int)) ||
        (typeof string === "string" && PLAIN.test(string)) ||
        (typeof bytes === "string" && HEX.test(bytes)))
    );
  if (codeOfPrimitive(prim) === undefined) return false;
  let fields = 1;
  if (args !== undefined) {
    if (!Array.isArray(args) || args.length === 0) return false;
    for (const item of args) into.push(item);
    fields++;
  }
  if (annots !== undefined) {
    if (!Array.isArray(annots) || annots.length === 0) return false;
    if (!annots.every((each) => typeof each === "string" && ANNOTATION.test(each))) return false;
    fields++;
  }
  return names.length === fields;
}
