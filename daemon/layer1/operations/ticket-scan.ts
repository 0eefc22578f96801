// Searches values and big maps for tickets. Source: Octez, `ticket_scanner.ml`, `ticket_lazy_storage_diff.ml`.
import { encodedLength } from "../../tezos/micheline-binary.ts";
import type { Job } from "../job.ts";
import type { BigMapUpdate } from "../michelson/big-map-diff.ts";
import { CHECK_TYPE_NODE } from "../michelson/check-costs.ts";
import { MichelsonError, branch, permanent } from "../michelson/michelson-error.ts";
import { inOrder } from "../michelson/ordered-tree.ts";
import { type Type, isDuplicable, typeSize } from "../michelson/type.ts";
import { unparseWithRests } from "../michelson/unparse-value.ts";
import {
  type BigMapValue,
  type ListValue,
  type MapValue,
  type OptionValue,
  type OrValue,
  type PairValue,
  type TicketValue,
  type Value,
  itemsOf,
} from "../michelson/value.ts";
import type { Execution } from "./execution.ts";
import { payForReading } from "./read-data.ts";
import { listBigMapCost, readBigMapEntryCost, readBigMapTypesCost } from "./storage-costs.ts";
import type { TicketSum } from "./ticket-table.ts";

/** Milligas per node of a value searched for tickets, even where none can be. */
const VISIT_GAS = 80;

/** Cost of finding out whether values of a type can hold tickets. */
export const lookForTicketsCost = (t: Type): number => 10 + 6 * typeSize(t);

type Sign = 1n | -1n;

export class TicketScan {
  readonly execution: Pick<Execution, "context" | "block" | "gas">;

  constructor(execution: Pick<Execution, "context" | "block" | "gas">) {
    this.execution = execution;
  }

  /** Charges for a step of a search. */
  step(): void {
    this.execution.gas.spend(VISIT_GAS);
  }

  /** Adds `sign` times every ticket in the value outside of big maps. */
  collect(sum: TicketSum, sign: Sign, type: Type, value: Value): void {
    this.#visit(sum, sign, type, value, undefined);
  }

  /**
   * Adds `sign` times every ticket in the value, with those in its big maps.
   * @throws MichelsonError Unsupported_non_empty_overlay for a big map with entries that are not stored
   */
  *collectAll(sum: TicketSum, sign: Sign, type: Type, value: Value): Job<void> {
    const maps: { id: bigint; valueType: Type }[] = [];
    this.#visit(sum, sign, type, value, ({ id, changes }, valueType) => {
      this.step();
      if (changes !== undefined) throw new MichelsonError(branch("Unsupported_non_empty_overlay"));
      if (id !== undefined) maps.push({ id, valueType });
    });
    for (const { id, valueType } of maps) yield* this.#collectEntries(sum, sign, id, valueType);
  }

  /** Adds `sign` times every ticket in a stored big map. @throws MichelsonError Failed_to_load_big_map_value_type */
  *collectStored(sum: TicketSum, sign: Sign, id: bigint): Job<void> {
    this.step();
    const valueType = this.valueType(id);
    this.#payForType(valueType);
    yield* this.#collectEntries(sum, sign, id, valueType);
  }

  /** Adds the tickets in new entries of a big map, and takes away those in the stored entries that they replace. */
  *collectUpdates(sum: TicketSum, id: bigint, valueType: Type, updates: readonly BigMapUpdate[]): Job<void> {
    const { context, gas } = this.execution;
    this.#payForType(valueType);
    const canHold = !isDuplicable(valueType);
    for (const [known, { hash, value }] of updates.entries()) {
      gas.spend(rememberKeyCost(known));
      const stored = context.bigMapEntry(id, hash)?.value;
      const bytes = stored === undefined ? undefined : yield* storedBytes(valueType, stored);
      gas.spend(readBigMapEntryCost(bytes));
      if (canHold && stored !== undefined) yield* this.#collectEntry(sum, -1n, valueType, stored);
      if (canHold && value !== undefined) yield* this.#collectEntry(sum, 1n, valueType, value);
      yield;
    }
  }

  /** Type of the values of a stored big map. @throws MichelsonError Failed_to_load_big_map_value_type */
  valueType(id: bigint): Type {
    const { context, gas } = this.execution;
    gas.spend(readBigMapTypesCost);
    const map = context.bigMap(id);
    if (map) return map.value;
    throw new MichelsonError(permanent("Failed_to_load_big_map_value_type", { big_map_id: id.toString() }));
  }

  #payForType(valueType: Type): void {
    const { gas } = this.execution;
    gas.spend(CHECK_TYPE_NODE * typeSize(valueType));
    gas.spend(lookForTicketsCost(valueType));
  }

  *#collectEntries(sum: TicketSum, sign: Sign, id: bigint, valueType: Type): Job<void> {
    const { context, gas } = this.execution;
    const entries = context.bigMapEntries(id);
    gas.spend(listBigMapCost(entries.size));
    for (const { value } of entries.values()) {
      const bytes = yield* storedBytes(valueType, value);
      gas.spend(readBigMapEntryCost(bytes) - readBigMapEntryCost(undefined));
      if (!isDuplicable(valueType)) yield* this.#collectEntry(sum, sign, valueType, value);
      yield;
    }
  }

  *#collectEntry(sum: TicketSum, sign: Sign, valueType: Type, value: Value): Job<void> {
    yield* payForReading(this.execution, valueType, value);
    this.collect(sum, sign, valueType, value);
  }

  #visit(
    sum: TicketSum,
    sign: Sign,
    t: Type,
    value: Value,
    inBigMap: ((map: BigMapValue, valueType: Type) => void) | undefined,
  ): void {
    this.step();
    if (isDuplicable(t)) return;
    const inner = (type: Type, v: Value): void => this.#visit(sum, sign, type, v, inBigMap);
    switch (t.prim) {
      case "ticket":
        sum.add(t.args[0], value as TicketValue, sign * (value as TicketValue).amount);
        return;
      case "pair":
        inner(t.args[0], (value as PairValue).left);
        inner(t.args[1], (value as PairValue).right);
        return;
      case "option":
        if ((value as OptionValue).some !== undefined) inner(t.args[0], (value as OptionValue).some!);
        return;
      case "or":
        inner((value as OrValue).isLeft ? t.args[0] : t.args[1], (value as OrValue).value);
        return;
      case "list":
        for (const item of itemsOf(value as ListValue)) inner(t.args[0], item);
        return;
      case "map":
        for (const entry of inOrder((value as MapValue).entries)) inner(t.args[1], entry.value);
        return;
      case "big_map":
        inBigMap?.(value as BigMapValue, t.args[1]);
        return;
      default:
        return;
    }
  }
}

function* storedBytes(t: Type, value: Value): Job<number> {
  return encodedLength(yield* unparseWithRests(t, value, "optimized"));
}

/** Milligas of looking up a key among those seen before, and of adding it. Source: `carbonated_map_costs.ml`. */
function rememberKeyCost(known: number): number {
  const find = 50 + 12 * (33 - Math.clz32(known));
  return find + find + 2 * find;
}
