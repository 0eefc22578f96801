// Rows in the order in which the chain made them; the oldest are dropped.
export class Rows<Row extends { readonly level: number }> {
  #rows: Row[] = [];
  #start = 0;

  push(row: Row): void {
    this.#rows.push(row);
  }

  /** Drops the rows up to a level. */
  dropUpTo(level: number): void {
    while (this.#start < this.#rows.length && this.#rows[this.#start]!.level <= level) this.#start++;
    // Rarely, so that to drop a row costs nothing.
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

  /** From the oldest on. */
  *[Symbol.iterator](): Generator<Row> {
    for (let i = this.#start; i < this.#rows.length; i++) yield this.#rows[i]!;
  }

  /** From the newest on. */
  *newestFirst(): Generator<Row> {
    for (let i = this.#rows.length - 1; i >= this.#start; i--) yield this.#rows[i]!;
  }
}
