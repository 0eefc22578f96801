// Counts an answer's characters as they are produced, to stop before it gets too large.
export interface Meter {
  /** @throws above the limit */
  readonly spend: (characters: number) => void;
}

/** For values that are always small, and for tests. */
export const UNMETERED: Meter = { spend: () => undefined };
