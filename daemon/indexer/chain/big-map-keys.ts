// The keys of a big map. A copy shares them with the map that it was made of until one of them changes: an operation may
// pass a large map on a hundred times.
import type { BigMapKeyRow } from "./index-rows.ts";
import { PersistentMap } from "./persistent-map.ts";
import { weightOf } from "./weight.ts";

interface Kept {
  /** Number of the map that made the row; of a copy the row is a view of it. */
  readonly owner: number;
  /** Place among the keys of the map, which is that among the keys of its copies too. */
  readonly rank: number;
  readonly row: BigMapKeyRow;
}

interface Copied {
  readonly firstId: number;
  readonly level: number;
}

/** Of one that shares everything. */
const BYTES = 200;
/** Of a row beside its key and value: its object, its hash, its way in the tree. */
const ROW_BYTES = 400;

let lastOwner = 0;

export class BigMapKeys {
  readonly #owner = ++lastOwner;
  #rows: PersistentMap<Kept>;
  #ranks: number;
  #size: number;
  #bytes = BYTES;
  /** Of a copy: number of its first row, and the level at which it was made. */
  readonly #copied: Copied | undefined;

  private constructor(rows: PersistentMap<Kept>, ranks: number, size: number, copied: Copied | undefined) {
    this.#rows = rows;
    this.#ranks = ranks;
    this.#size = size;
    this.#copied = copied;
  }

  static none(): BigMapKeys {
    return new BigMapKeys(PersistentMap.empty(), 0, 0, undefined);
  }

  /** As they are now, whatever happens to either map from here on. @param active how many of them are */
  copy(at: { readonly firstId: number; readonly level: number; readonly active: number }): BigMapKeys {
    return new BigMapKeys(this.#rows, this.#ranks, at.active, at);
  }

  /** Numbers that the rows of a copy need. */
  get ranks(): number {
    return this.#ranks;
  }

  /** With those that were removed. */
  get size(): number {
    return this.#size;
  }

  /** Memory, about, without what other maps have anyway. */
  get bytes(): number {
    return this.#bytes;
  }

  get(hash: string): BigMapKeyRow | undefined {
    const kept = this.#rows.get(hash);
    return kept && this.#shown(kept);
  }

  set(row: BigMapKeyRow): void {
    const { hash } = row;
    const kept = this.#rows.get(hash);
    if (kept === undefined || this.#shown(kept) === undefined) this.#size++;
    if (kept?.owner === this.#owner) this.#bytes -= bytesOf(kept.row);
    this.#bytes += bytesOf(row);
    this.#rows = this.#rows.with(hash, { owner: this.#owner, rank: kept?.rank ?? this.#ranks++, row });
  }

  /** Forgets a key as if it had never been. */
  forget(hash: string): void {
    const kept = this.#rows.get(hash);
    if (kept === undefined) return;
    if (this.#shown(kept) !== undefined) this.#size--;
    if (kept.owner === this.#owner) this.#bytes -= bytesOf(kept.row);
    this.#rows = this.#rows.without(hash);
  }

  /** In no order. What changes meanwhile is not seen. */
  *values(): Generator<BigMapKeyRow> {
    for (const kept of this.#rows.values()) {
      const row = this.#shown(kept);
      if (row !== undefined) yield row;
    }
  }

  /** A copy has what was there when it was made, under numbers of its own. */
  #shown({ owner, rank, row }: Kept): BigMapKeyRow | undefined {
    if (owner === this.#owner || this.#copied === undefined) return row;
    const { firstId, level } = this.#copied;
    return row.active ? { ...row, id: firstId + rank, firstLevel: level } : undefined;
  }
}

const bytesOf = ({ key, value }: BigMapKeyRow): number =>
  ROW_BYTES + weightOf(key.node) + weightOf(value.node);
