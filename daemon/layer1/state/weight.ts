// Approximate memory of a value of the state. Values are plain data that never changes in place, but they are trees of
// small objects: a storage of 30 KB can take 2 MB, so the protocol's byte counts say little.
import { integerWeight, LIST_BYTES, SLOT_BYTES, TEXT_BYTES } from "../../parts/heap-weight.ts";

/** Bytes of an object, beside its fields. */
const OBJECT_BYTES = 40;
/** A place in a large map, as far as it is filled on average. */
const PLACE = 40;

/** Weights of objects that many values share or that are asked for repeatedly, such as the code of a contract. */
const cached = new WeakMap<object, number>();
/** Depth up to which weights are cached: an account, its contract, its code and storage. */
const CACHED_DEPTH = 2;
/** Weights below this are not cached: to weigh an account again takes less time than to remember it. */
const CACHED_FROM = 1_000;

/** States the weight of a value that would have to be made first: one whose parts are read on first access. */
export function stateWeight(value: object, weight: number): void {
  cached.set(value, weight);
}

/** What knows its own weight: collections too large to be weighed each time. */
export abstract class Weighed {
  /** Bytes, about. */
  abstract readonly weight: number;
}

/** Bytes, about. Functions, which are made anew from data, count for nothing. */
export function weightOf(value: unknown): number {
  return value instanceof Weighed ? value.weight : weigh(value, 0);
}

/** As {@link weightOf}, without remembering anything: of small values there are too many to remember. */
export const weighAnew = (value: unknown): number => weigh(value, CACHED_DEPTH + 1);

export const keyWeight = (key: string): number => TEXT_BYTES + key.length;

/** What the state has at a key, with the key and its place; where there is nothing, no place is taken. */
export const weightAt = (key: string, value: unknown): number =>
  value === undefined ? 0 : PLACE + keyWeight(key) + weightOf(value);

/** Parts of the newer value that are looked for in the older one. */
const MAX_KNOWN = 256;
/** How many of them one part contributes at most: a long list would leave no room for others. */
const MAX_OF_ONE = 16;
/** Parts of the older value that are looked at: about a millisecond. A value with more counts as a whole. */
const MAX_LOOKS = 10_000;

/**
 * Bytes, about, that a value takes beside the one that replaced it: parts that both hold, such as the code of a contract
 * that was called, count for nothing. Of very many shared parts some are not seen, and count.
 */
export function weightBeside(before: unknown, after: unknown): number {
  if (before === after) return 0;
  if (typeof before !== "object" || before === null || before instanceof Weighed) return weightOf(before);
  if (typeof after !== "object" || after === null) return weightOf(before);
  return weighChanged(before, after, 0);
}

/** Depth up to which fields are compared with those of the same name: an account, its contract. */
const SAME_FIELDS_DEPTH = 2;

/** Most changes replace a field or two of a record: what the others hold is the same without a look. */
function weighChanged(before: object, after: object, depth: number): number {
  if (depth >= SAME_FIELDS_DEPTH || Array.isArray(before) || Array.isArray(after))
    return weighWithout(before, partsOf(after)) ?? weightOf(before);
  let weight = OBJECT_BYTES;
  for (const [name, part] of Object.entries(before) as [string, unknown][]) {
    weight += SLOT_BYTES;
    const other = (after as Record<string, unknown>)[name];
    if (typeof part !== "object" || part === null || part instanceof Weighed)
      weight += part === other && typeof part === "object" ? 0 : weightOf(part);
    else if (part !== other)
      weight +=
        typeof other === "object" && other !== null ? weighChanged(part, other, depth + 1) : weightOf(part);
  }
  return weight;
}

/** Objects within a value, from the outside inwards. */
function partsOf(value: object): ReadonlySet<object> {
  const parts = new Set<object>([value]);
  for (const part of parts) {
    if (part instanceof Weighed) continue;
    for (const inner of Object.values(part).slice(0, MAX_OF_ONE) as unknown[]) {
      if (typeof inner !== "object" || inner === null) continue;
      if (parts.size >= MAX_KNOWN) return parts;
      parts.add(inner);
    }
  }
  return parts;
}

/** Weight of what is not among the known parts; undefined when there is too much to look at. Iterative, for lists may nest as deep as they are long. */
function weighWithout(root: object, known: ReadonlySet<object>): number | undefined {
  const pending: object[] = [root];
  let weight = 0;
  let looks = 0;
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (++looks > MAX_LOOKS) return undefined;
    weight += Array.isArray(at) ? LIST_BYTES : OBJECT_BYTES;
    for (const part of Object.values(at) as unknown[]) {
      weight += SLOT_BYTES;
      if (typeof part !== "object" || part === null) weight += weigh(part, 0);
      else if (part instanceof Weighed) weight += known.has(part) ? 0 : part.weight;
      else if (!known.has(part)) pending.push(part);
    }
  }
  return weight;
}

function weigh(value: unknown, depth: number): number {
  if (typeof value === "string") return TEXT_BYTES + value.length;
  if (typeof value === "bigint") return integerWeight(value);
  if (typeof value !== "object" || value === null) return 0;
  if (depth > CACHED_DEPTH) return weighWhole(value);
  const before = cached.get(value);
  if (before !== undefined) return before;
  let weight = Array.isArray(value) ? LIST_BYTES : OBJECT_BYTES;
  for (const part of Object.values(value)) weight += SLOT_BYTES + weigh(part, depth + 1);
  if (weight >= CACHED_FROM) cached.set(value, weight);
  return weight;
}

/** Iterative, for lists may nest as deep as they are long. */
function weighWhole(root: object): number {
  const pending: object[] = [root];
  let weight = 0;
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    weight += Array.isArray(at) ? LIST_BYTES : OBJECT_BYTES;
    for (const part of Object.values(at) as unknown[]) {
      weight += SLOT_BYTES;
      if (typeof part === "object" && part !== null) pending.push(part);
      else weight += weigh(part, 0);
    }
  }
  return weight;
}
