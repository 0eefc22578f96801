// Rows in chain order; the oldest are dropped.
export class Rows<Row extends { readonly level: number }> {
  #rows: Row[] = [];
  #start = 0;

  push(row: Row): void {
    this.#rows.push(row);
  }

  /** Drops rows up to and including a level. */
  dropUpTo(level: number): void {
    while (this.#start < this.#rows.length && this.#rows[this.#start]!.level <= level) this.#start++;
    // Compact rarely, so that a drop is cheap on average.
    if (this.#start < 1_024 || this.#start * 2 < this.#rows.length) return;
    this.#rows = this.#rows.slice(this.#start);
    this.#start = 0;
  }

  get length(): number {
    return this.#rows.length - this.#start;
  }

  get last(): Row | undefined {
    return this.length === 0 ? undefined : this.#rows[this.#rows.length - 1];
  }

  /** Oldest first. Unaffected by rows added or dropped meanwhile: an answer is written in several turns. */
  *[Symbol.iterator](): Generator<Row> {
    const [rows, end] = [this.#rows, this.#rows.length];
    for (let i = this.#start; i < end; i++) yield rows[i]!;
  }

  /** Newest first, as above. */
  *newestFirst(): Generator<Row> {
    const [rows, start] = [this.#rows, this.#start];
    for (let i = rows.length - 1; i >= start; i--) yield rows[i]!;
  }
}
