// Counts what is made for an answer while it is made, so that what would be too much ends before it is there.
export interface Meter {
  /** @throws when it is too much */
  readonly spend: (characters: number) => void;
}

/** For values that are small by what they are, and for tests. */
export const UNMETERED: Meter = { spend: () => undefined };
