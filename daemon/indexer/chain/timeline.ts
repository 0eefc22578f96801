// Which blocks hold. A restored snapshot takes the chain back to the state of an earlier level, while its blocks go on: those
// in between have happened, and what they did is undone.

export interface Restored {
  /** Level whose state came back. */
  readonly level: number;
  /** Level of the first block with that state. */
  readonly at: number;
}

/** Tells of each level up to the head whether it holds. @param restored in the order of time */
export function holdsAt(restored: readonly Restored[]): (level: number) => boolean {
  const held: { readonly from: number; readonly to: number }[] = [];
  let to = Infinity;
  for (;;) {
    // A snapshot may be of a time that was itself undone: then what holds is what held when it was taken.
    const last = restored.findLast(({ at }) => at <= to);
    held.push({ from: last?.at ?? 0, to });
    if (last === undefined) return (level) => held.some((range) => level >= range.from && level <= range.to);
    to = last.level;
  }
}
