// Reads types from Micheline, by the rules of the place where they stand.
import { type Micheline, type MichelinePrim, hasArity, isPrim, kindOf } from "../../tezos/micheline.ts";
import { CHECK_TYPE_NODE } from "./check-costs.ts";
import type { GasMeter } from "./gas.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";
import { UNEXPECTED, typeTooLarge, unsupportedPrimitive, wrongPrimitive } from "./type-errors.ts";
import {
  type Notes,
  type Type,
  MAX_TYPE_SIZE,
  TYPE_PRIMS,
  isComparable,
  isLeaf,
  type,
  typeSize,
} from "./type.ts";

/** Types of the protocol that this node does not support. */
const UNSUPPORTED = new Set([
  "sapling_state",
  "sapling_transaction",
  "sapling_transaction_deprecated",
  "chest",
  "chest_key",
  "tx_rollup_l2_address",
]);

/** What an error names as expected: those that may stand anywhere. */
const EXPECTED = TYPE_PRIMS.filter((name) => name !== "big_map").toSorted();

/** What a type may contain in its place. */
export interface TypeRules {
  readonly bigMaps: boolean;
  readonly operations: boolean;
  readonly contracts: boolean;
  readonly tickets: boolean;
  /** Names on the branches of an `or` denote entrypoints. */
  readonly entrypoints?: true;
  /** The whole type must be comparable. */
  readonly comparable?: true;
}

/** By the place of the type. Source: Octez, `parse_any_ty` and its successors in `script_ir_translator.ml`. */
export const TYPE_RULES = {
  any: { bigMaps: true, operations: true, contracts: true, tickets: true },
  parameter: { bigMaps: true, operations: false, contracts: true, tickets: true, entrypoints: true },
  passable: { bigMaps: true, operations: false, contracts: true, tickets: true },
  storage: { bigMaps: true, operations: false, contracts: false, tickets: true },
  bigMapValue: { bigMaps: false, operations: false, contracts: false, tickets: true },
  packable: { bigMaps: false, operations: false, contracts: false, tickets: false },
  view: { bigMaps: false, operations: false, contracts: true, tickets: false },
  comparable: { bigMaps: false, operations: false, contracts: false, tickets: false, comparable: true },
} as const satisfies Record<string, TypeRules>;

/** How to read a type. */
export interface TypeReading {
  readonly rules: TypeRules;
  readonly gas?: GasMeter | undefined;
  /** Number of a node, for errors. */
  readonly location?: (node: Micheline) => number;
}

/** @throws MichelsonError when the expression is not a type, or the type is too large or not allowed here */
export function parseType(node: Micheline, reading: TypeReading = { rules: TYPE_RULES.any }): Type {
  const reader = new TypeReader(reading);
  return reading.rules.comparable ? reader.comparable(node) : reader.read(node, reading.rules);
}

class TypeReader {
  readonly #gas: GasMeter | undefined;
  readonly #location: (node: Micheline) => number;

  constructor({ gas, location }: TypeReading) {
    this.#gas = gas;
    this.#location = location ?? (() => 0);
  }

  read(node: Micheline, rules: TypeRules): Type {
    this.#gas?.spend(CHECK_TYPE_NODE);
    if (!isPrim(node)) throw this.#notType(node);
    const args = node.args ?? [];
    const field = rules.entrypoints && fieldOf(node);
    this.#checkAnnotations(node, rules.entrypoints === true);
    const named: Notes = {
      ...(field !== undefined && field.length <= 31 && { field }),
      ...(node.annots?.length && { annots: node.annots }),
      ...(rules.entrypoints && { written: withoutField(node) }),
    };
    const measure = (made: Type): Type => this.#sized({ ...made, ...named }, node);
    const inner: TypeRules = rules.entrypoints ? TYPE_RULES.passable : rules;
    switch (node.prim) {
      case "pair": {
        if (args.length < 2) throw this.#arity(node, 2);
        if (args.length > MAX_TYPE_SIZE) throw typeTooLarge(this.#location(node), MAX_TYPE_SIZE);
        // `pair a b c` is `pair a (pair b c)`.
        const parts: Type[] = [];
        for (const [at, arg] of args.entries()) {
          if (at > 0 && at < args.length - 1) this.#gas?.spend(CHECK_TYPE_NODE);
          parts.push(this.read(withoutField(arg), inner));
        }
        let rest = parts.pop()!;
        while (parts.length > 1) rest = this.#sized(type("pair", parts.pop()!, rest), node);
        return measure(type("pair", parts[0]!, rest));
      }
      case "or": {
        if (!hasArity(args, 2)) throw this.#arity(node, 2);
        const part = (arg: Micheline): Type => this.read(rules.entrypoints ? arg : withoutField(arg), rules);
        return measure(type("or", part(args[0]), part(args[1])));
      }
      case "option":
      case "list":
        if (!hasArity(args, 1)) throw this.#arity(node, 1);
        return measure(type(node.prim, this.read(args[0], inner)));
      case "lambda":
        if (!hasArity(args, 2)) throw this.#arity(node, 2);
        return measure(
          type("lambda", this.read(args[0], TYPE_RULES.any), this.read(args[1], TYPE_RULES.any)),
        );
      case "contract":
        if (!rules.contracts) throw this.#forbidden("contract", node);
        if (!hasArity(args, 1)) throw this.#arity(node, 1);
        return measure(type("contract", this.read(args[0], TYPE_RULES.passable)));
      case "ticket":
        if (!rules.tickets) throw this.#forbidden("ticket", node);
        if (!hasArity(args, 1)) throw this.#arity(node, 1);
        return measure(type("ticket", this.comparable(args[0])));
      case "set":
        if (!hasArity(args, 1)) throw this.#arity(node, 1);
        return measure(type("set", this.comparable(args[0])));
      case "map":
        if (!hasArity(args, 2)) throw this.#arity(node, 2);
        return measure(type("map", this.comparable(args[0]), this.read(args[1], inner)));
      case "big_map":
        if (!rules.bigMaps) throw this.#forbidden("big_map", node);
        this.#gas?.spend(CHECK_TYPE_NODE);
        if (!hasArity(args, 2)) throw this.#arity(node, 2);
        return measure(type("big_map", this.comparable(args[0]), this.read(args[1], TYPE_RULES.bigMapValue)));
      case "operation":
        if (!rules.operations) throw this.#forbidden("operation", node);
    }
    if (!isLeaf(node.prim))
      throw UNSUPPORTED.has(node.prim) ? unsupportedPrimitive(node.prim) : this.#notType(node);
    if (!hasArity(args, 0)) throw this.#arity(node, 0);
    return measure(type(node.prim));
  }

  comparable(node: Micheline): Type {
    const found = this.read(node, TYPE_RULES.comparable);
    if (isComparable(found)) return found;
    throw new MichelsonError(
      permanent("michelson_v1.comparable_type_expected", {
        location: this.#location(node),
        wrong_type: node,
      }),
    );
  }

  #sized(parsed: Type, node: Micheline): Type {
    if (typeSize(parsed) > MAX_TYPE_SIZE) throw typeTooLarge(this.#location(node), MAX_TYPE_SIZE);
    return parsed;
  }

  /** A type may have a type annotation and nothing else. */
  #checkAnnotations(node: MichelinePrim, mayHaveField: boolean): void {
    if (!node.annots?.length) return;
    const names = mayHaveField && node.annots.length < 3 ? (withoutField(node).annots ?? []) : node.annots;
    const isFine = names.length === 0 || (names.length === 1 && /^:([a-zA-Z_0-9][\w.%@]*)?$/.test(names[0]!));
    if (!isFine)
      throw new MichelsonError(
        permanent("michelson_v1.unexpected_annotation", { location: this.#location(node) }),
      );
  }

  #forbidden(prim: keyof typeof UNEXPECTED, node: Micheline): MichelsonError {
    return new MichelsonError(UNEXPECTED[prim](this.#location(node)));
  }

  #notType(node: Micheline): MichelsonError {
    if (isPrim(node)) return wrongPrimitive(node.prim, EXPECTED, "type", this.#location(node));
    return new MichelsonError(
      permanent("michelson_v1.invalid_expression_kind", {
        location: this.#location(node),
        expected_kinds: ["primitiveApplication"],
        wrong_kind: kindOf(node),
      }),
    );
  }

  #arity(node: MichelinePrim, expected: number): MichelsonError {
    return new MichelsonError(
      permanent("michelson_v1.invalid_arity", {
        location: this.#location(node),
        primitive_name: node.prim,
        expected_arity: expected,
        wrong_arity: node.args?.length ?? 0,
      }),
    );
  }
}

/** Name of a field or entrypoint in its annotation. */
const fieldOf = (node: MichelinePrim): string | undefined =>
  node.annots?.find((annotation) => /^%[a-zA-Z_0-9]/.test(annotation))?.slice(1);

/** A component of a type without its field name. */
function withoutField<N extends Micheline>(node: N): N {
  if (!isPrim(node) || !node.annots?.length) return node;
  const at = node.annots.findIndex((annotation) => annotation.startsWith("%"));
  if (at < 0) return node;
  const { annots, ...bare } = node;
  const others = annots.toSpliced(at, 1);
  return (others.length > 0 ? { ...bare, annots: others } : bare) as N;
}
