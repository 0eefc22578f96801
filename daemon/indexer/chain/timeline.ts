// Which blocks are valid. Restoring a snapshot brings back the state of an earlier level while levels go on: the blocks
// in between exist, but their effects are undone.

export interface Restored {
  /** Level whose state was restored. */
  readonly level: number;
  /** Level of the first block with that state. */
  readonly at: number;
}

/** Returns a test whether the block of a level is valid. @param restored in chronological order */
export function holdsAt(restored: readonly Restored[]): (level: number) => boolean {
  const held: { readonly from: number; readonly to: number }[] = [];
  let to = Infinity;
  for (;;) {
    // A snapshot may date from a time that was itself undone: then the blocks valid at that time are.
    const last = restored.findLast(({ at }) => at <= to);
    held.push({ from: last?.at ?? 0, to });
    if (last === undefined) return (level) => held.some((range) => level >= range.from && level <= range.to);
    to = last.level;
  }
}
