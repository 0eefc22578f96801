// The keys of a big map, copied on write: an operation may pass a large map a hundred times.
import type { BigMapKeyRow } from "./index-rows.ts";
import { PersistentMap } from "./persistent-map.ts";

interface Kept {
  /** Number of the map that made the row; a copy shows the row under its own number. */
  readonly owner: number;
  /** Index among the keys of the map, the same in its copies. */
  readonly rank: number;
  readonly row: BigMapKeyRow;
}

interface Copied {
  readonly firstId: number;
  readonly level: number;
}

/** Memory of a copy that shares everything. */
const BYTES = 200;
/** Memory of a row beside its key and value: its object, its hash, its path in the tree. */
const ROW_BYTES = 400;

let lastOwner = 0;

export class BigMapKeys {
  readonly #owner = ++lastOwner;
  #rows: PersistentMap<Kept>;
  #ranks: number;
  #size: number;
  #bytes = BYTES;
  /** For a copy: number of its first row, and the level at which it was made. */
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

  /** A copy that is independent of later changes. @param active number of active keys */
  copy(at: { readonly firstId: number; readonly level: number; readonly active: number }): BigMapKeys {
    return new BigMapKeys(this.#rows, this.#ranks, at.active, at);
  }

  /** Row numbers that a copy needs. */
  get ranks(): number {
    return this.#ranks;
  }

  /** Includes removed keys. */
  get size(): number {
    return this.#size;
  }

  /** Estimated memory, without what is shared with other maps. */
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

  /** Drops a key without a trace. */
  forget(hash: string): void {
    const kept = this.#rows.get(hash);
    if (kept === undefined) return;
    if (this.#shown(kept) !== undefined) this.#size--;
    if (kept.owner === this.#owner) this.#bytes -= bytesOf(kept.row);
    this.#rows = this.#rows.without(hash);
  }

  /** Unordered; does not see changes made during the iteration. */
  *values(): Generator<BigMapKeyRow> {
    for (const kept of this.#rows.values()) {
      const row = this.#shown(kept);
      if (row !== undefined) yield row;
    }
  }

  /** A row as this map shows it: a copy has the rows from when it was made, under its own numbers. */
  #shown({ owner, rank, row }: Kept): BigMapKeyRow | undefined {
    if (owner === this.#owner || this.#copied === undefined) return row;
    const { firstId, level } = this.#copied;
    return row.active ? { ...row, id: firstId + rank, firstLevel: level } : undefined;
  }
}

const bytesOf = ({ key, value }: BigMapKeyRow): number => ROW_BYTES + key.weight + value.weight;
