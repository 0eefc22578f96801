// Accepted operations that are in no block yet, indexed by what new ones are checked against.
import type { Operation } from "../../tezos/content.ts";
import { temporary } from "../michelson/michelson-error.ts";
import { OperationRefused } from "../operations/operation-refused.ts";
import { compareFees, gasOf } from "../operations/prefilter.ts";
import { weighAnew } from "../state/weight.ts";
import type { Accepted } from "./next-block.ts";

/** Memory of all of them, above which no more are accepted: a block may come late, or never. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Memory of those of a block from which it is made before its time: what three accounts can fill together. */
export const FULL_BYTES = (MAX_BYTES * 3) / 4;

export class Pending {
  readonly #byHash = new Map<string, Accepted>();
  /** By source, and by source with counter. */
  readonly #bySource = new Map<string, Set<Accepted>>();
  readonly #byCounter = new Map<string, Accepted>();
  readonly #weights = new Map<string, number>();
  readonly #weightBySource = new Map<string, number>();
  #weight = 0;
  #gas = 0n;

  /** In order of acceptance. */
  get all(): readonly Accepted[] {
    return this.#byHash.size === 0 ? [] : [...this.#byHash.values()];
  }

  /** Those that pay most for their gas first, otherwise in order of acceptance. */
  get byFee(): Accepted[] {
    return [...this.#byHash.values()].sort((one, other) => compareFees(one.operation, other.operation));
  }

  get size(): number {
    return this.#byHash.size;
  }

  /** Bytes of memory, about. */
  get weight(): number {
    return this.#weight;
  }

  /** Sum of the gas limits. */
  get gas(): bigint {
    return this.#gas;
  }

  /** Of the operations of a source. */
  weightOf(source: string): number {
    return this.#weightBySource.get(source) ?? 0;
  }

  /** Of one of them. */
  weightOfOne({ hash }: Accepted): number {
    return this.#weights.get(hash) ?? 0;
  }

  has(hash: string): boolean {
    return this.#byHash.has(hash);
  }

  /** The first operation of a source. */
  ofSource(source: string): Accepted | undefined {
    return this.#bySource.get(source)?.values().next().value;
  }

  withCounter(source: string, counter: string): Accepted | undefined {
    return this.#byCounter.get(`${source}:${counter}`);
  }

  /** @param receiptBytes what is kept of its receipts, once it is applied */
  add(accepted: Accepted, receiptBytes = 0): void {
    if (!this.#byHash.has(accepted.hash)) this.#gas += gasOf(accepted.operation);
    this.#byHash.set(accepted.hash, accepted);
    const { contents } = accepted.operation;
    const { source } = contents[0];
    this.#weigh(accepted.hash, source, weighAnew(contents) + receiptBytes);
    const same = this.#bySource.get(source);
    if (same) same.add(accepted);
    else this.#bySource.set(source, new Set([accepted]));
    for (const { counter } of contents) this.#byCounter.set(`${source}:${counter}`, accepted);
  }

  delete(accepted: Accepted): void {
    const { contents } = accepted.operation;
    const { source } = contents[0];
    if (this.#byHash.delete(accepted.hash)) this.#gas -= gasOf(accepted.operation);
    this.#weigh(accepted.hash, source, 0);
    const same = this.#bySource.get(source);
    same?.delete(accepted);
    if (same?.size === 0) this.#bySource.delete(source);
    for (const { counter } of contents) this.#byCounter.delete(`${source}:${counter}`);
  }

  #weigh(hash: string, source: string, weight: number): void {
    const change = weight - (this.#weights.get(hash) ?? 0);
    this.#weight += change;
    if (weight > 0) this.#weights.set(hash, weight);
    else this.#weights.delete(hash);
    const ofSource = this.weightOf(source) + change;
    if (ofSource > 0) this.#weightBySource.set(source, ofSource);
    else this.#weightBySource.delete(source);
  }
}

/**
 * Makes room for an operation, or refuses it. A source may use at most the memory that it leaves free: alone it gets a half
 * of it, one of two a third. So there is room for a source that has nothing pending, however much a few others send. Strict chains drop
 * waiting operations that pay less for their gas, as the node of the real network does.
 * @param next what is in the next block @param waiting for a later one
 * @throws OperationRefused when no room can be made
 */
export function makePendingRoom(
  next: Pending,
  waiting: Pending,
  operation: Operation,
  isStrict: boolean,
): void {
  const { source } = operation.contents[0];
  const left = MAX_BYTES - next.weight - waiting.weight;
  const lacking = next.weightOf(source) + waiting.weightOf(source) - left;
  if (lacking < 0) return;
  const cheaper = isStrict
    ? waiting.byFee.filter((accepted) => compareFees(operation, accepted.operation) < 0)
    : [];
  const dropped: Accepted[] = [];
  let freed = 0;
  while (freed <= lacking) {
    const cheapest = cheaper.pop();
    if (!cheapest) throw noRoom(left);
    dropped.push(cheapest);
    freed += waiting.weightOfOne(cheapest);
  }
  for (const cheapest of dropped) waiting.delete(cheapest);
}

function noRoom(left: number): OperationRefused {
  const msg =
    left > 0
      ? "Too many operations of this account wait for the next block of this sandbox."
      : "Too many operations wait for the next block of this sandbox.";
  return new OperationRefused([temporary("sandbox.pending_full", { msg })]);
}
