// Accepted operations that are in no block yet, indexed by what new ones are checked against.
import { temporary } from "../michelson/michelson-error.ts";
import { OperationRefused } from "../operations/protocol-error.ts";
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

  /** In order of acceptance. */
  get all(): readonly Accepted[] {
    return this.#byHash.size === 0 ? [] : [...this.#byHash.values()];
  }

  get size(): number {
    return this.#byHash.size;
  }

  /** Bytes of memory, about. */
  get weight(): number {
    return this.#weight;
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
    this.#byHash.set(accepted.hash, accepted);
    const { contents } = accepted.operation;
    const { source } = contents[0]!;
    this.#weigh(accepted.hash, source, weighAnew(contents) + receiptBytes);
    const same = this.#bySource.get(source);
    if (same) same.add(accepted);
    else this.#bySource.set(source, new Set([accepted]));
    for (const { counter } of contents) this.#byCounter.set(`${source}:${counter}`, accepted);
  }

  delete(accepted: Accepted): void {
    const { contents } = accepted.operation;
    const { source } = contents[0]!;
    this.#byHash.delete(accepted.hash);
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

/** Whether there is room for one more operation of a source, see {@link checkPendingRoom}, when `freed` bytes are. */
export function hasPendingRoom(all: readonly Pending[], source: string, freed = 0): boolean {
  return ownWeight(all, source) < roomLeft(all) + freed;
}

const roomLeft = (all: readonly Pending[]): number =>
  all.reduce((room, pending) => room - pending.weight, MAX_BYTES);
const ownWeight = (all: readonly Pending[], source: string): number =>
  all.reduce((sum, pending) => sum + pending.weightOf(source), 0);

/**
 * A source has no more of the memory for pending operations than it leaves to others: alone it gets a half of it, one of two
 * a third. So there is room for a source that has nothing pending, however much the others send.
 * @param all what is pending, in the next block or not
 * @throws OperationRefused
 */
export function checkPendingRoom(all: readonly Pending[], source: string): void {
  if (hasPendingRoom(all, source)) return;
  const msg =
    roomLeft(all) > 0
      ? "Too many operations of this account wait for the next block of this sandbox."
      : "Too many operations wait for the next block of this sandbox.";
  throw new OperationRefused([temporary("sandbox.pending_full", { msg })]);
}
