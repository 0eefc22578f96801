// Global constants: expressions registered once for all scripts, which code refers to as `constant "expr…"`.
// Source of the order, the limits and the errors: Octez, `global_constants_storage.ml`.
import { decodeBase58, encodeBase58 } from "../../tezos/base58.ts";
import { blake2b256 } from "../../tezos/blake2b.ts";
import { toHex } from "../../tezos/hex.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import {
  type ExpressionParts,
  MAX_DEPTH,
  type Micheline,
  type MichelinePrim,
  countNodes,
  expressionSize,
  isPrim,
  isSequence,
} from "../../tezos/micheline.ts";
import { EXPAND_CONSTANT, constantHashCost, expandCost, serializeCost } from "../michelson/check-costs.ts";
import type { GasMeter } from "../michelson/gas.ts";
import { MichelsonError, branch, permanent } from "../michelson/michelson-error.ts";
import type { Context, ContextReader } from "../state/context.ts";
import { CONSTANT, allocationCost, findCost, writeCost } from "./storage-costs.ts";

/** Limits of expanded code: nodes, and bytes of texts and numbers. */
const MAX_EXPANDED_NODES = 50_000;
const MAX_EXPANDED_BYTES = 50_000;
/** Bytes charged for the key of a constant. */
const KEY_BYTES = 65;

interface Constant {
  readonly expression: Micheline;
  readonly bytes: number;
}

const keyOf = (hash: string): string => `constant:${hash}`;

const findConstant = (context: ContextReader, hash: string): Constant | undefined =>
  context.other(keyOf(hash)) as Constant | undefined;

const childrenOf = (node: Micheline): readonly Micheline[] =>
  isSequence(node) ? node : isPrim(node) ? (node.args ?? []) : [];

const isConstant = (node: Micheline): node is MichelinePrim => isPrim(node) && node.prim === "constant";

function hasConstants(code: Micheline): boolean {
  const pending: Micheline[] = [code];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (isConstant(node)) return true;
    for (const child of childrenOf(node)) pending.push(child);
  }
  return false;
}

/**
 * Expands the constants in code; returns the same code when it has none.
 * @throws MichelsonError Nonexistent_global, Badly_formed_constant_expression, Expression_too_large
 */
export function expandConstants(context: ContextReader, gas: GasMeter, code: Micheline): Micheline {
  gas.spend(expandCost(countNodes(code)));
  if (!hasConstants(code)) return code;
  return new Expansion(context, gas).expand(code);
}

/** A constant already looked up, with its size. */
interface Resolved {
  readonly expression: Micheline;
  readonly size: ExpressionParts;
}

/** Checks the size while it expands: nested constants grow faster than gas limits them. */
class Expansion {
  readonly #context: ContextReader;
  readonly #gas: GasMeter;
  readonly #resolved = new Map<string, Resolved>();
  #nodes = 0;
  #bytes = 0;

  constructor(context: ContextReader, gas: GasMeter) {
    this.#context = context;
    this.#gas = gas;
  }

  expand(node: Micheline, depth = 1): Micheline {
    if (depth > MAX_DEPTH) throw new MichelsonError(branch("Expression_too_deep"));
    const found = isConstant(node) ? this.#lookUp(node).expression : node;
    if (isSequence(found)) {
      this.#count(1, 0);
      return found.map((item) => this.expand(item, depth + 1));
    }
    if (!isPrim(found)) {
      this.#countWhole(expressionSize(found));
      return found;
    }
    const [nodes, bytes] = [this.#nodes, this.#bytes];
    const annotations = found.annots ?? [];
    this.#count(
      1 + annotations.length,
      annotations.reduce((sum, { length }) => sum + length, 0),
    );
    const args = found.args?.map((arg) => this.expand(arg, depth + 1));
    const expanded = args ? { ...found, args } : found;
    if (!isConstant(expanded)) return expanded;
    // A constant whose value is itself a constant is looked up once more, and the result is not expanded further.
    const { expression, size } = this.#lookUp(expanded);
    [this.#nodes, this.#bytes] = [nodes, bytes];
    this.#countWhole(size);
    return expression;
  }

  #countWhole({ nodes, numberBytes, textBytes }: ExpressionParts): void {
    this.#count(nodes, numberBytes + textBytes);
  }

  #count(nodes: number, bytes: number): void {
    this.#nodes += nodes;
    this.#bytes += bytes;
    if (this.#nodes > MAX_EXPANDED_NODES || this.#bytes > MAX_EXPANDED_BYTES)
      throw new MichelsonError(branch("Expression_too_large"));
  }

  /** The value of a constant. */
  #lookUp(node: MichelinePrim): Resolved {
    this.#gas.spend(EXPAND_CONSTANT);
    const [argument, ...others] = node.args ?? [];
    const isWellFormed =
      argument !== undefined && "string" in argument && others.length === 0 && !node.annots?.length;
    if (!isWellFormed || !decodeBase58("scriptExpr", argument.string))
      throw new MichelsonError(branch("Badly_formed_constant_expression"));
    const resolved = this.#resolved.get(argument.string) ?? this.#read(argument.string);
    this.#gas.spend(expandCost(resolved.size.nodes - resolved.size.annotations));
    return resolved;
  }

  #read(hash: string): Resolved {
    const constant = findConstant(this.#context, hash);
    this.#gas.spend(findCost(CONSTANT, constant?.bytes));
    if (!constant) throw new MichelsonError(branch("Nonexistent_global"));
    const { expression } = constant;
    const resolved = { expression, size: expressionSize(expression) };
    this.#resolved.set(hash, resolved);
    return resolved;
  }
}

/**
 * Registers an expression.
 * @returns its hash, and the bytes to pay for
 * @throws MichelsonError Expression_already_registered, and as {@link expandConstants}
 */
export function registerConstant(
  context: Context,
  gas: GasMeter,
  expression: Micheline,
): { readonly hash: string; readonly size: number } {
  expandConstants(context, gas, expression);
  gas.spend(serializeCost(expressionSize(expression)));
  const encoded = encodeMicheline(expression);
  gas.spend(constantHashCost(encoded.length));
  const hashBytes = blake2b256(encoded);
  const hash = encodeBase58("scriptExpr", hashBytes);
  gas.spend(allocationCost(encoded.length) + writeCost(encoded.length));
  if (findConstant(context, hash)) {
    throw new MichelsonError(
      branch("Expression_already_registered"),
      permanent("context.storage_error", { existing_key: ["global_constant", toHex(hashBytes), "len"] }),
    );
  }
  context.setOther(keyOf(hash), { expression, bytes: encoded.length } satisfies Constant);
  return { hash, size: encoded.length + KEY_BYTES };
}
