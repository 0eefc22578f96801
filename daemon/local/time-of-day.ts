// The only reader of the machine's wall clock, which may jump: durations use performance.now().

/** Milliseconds since 1970, for display, for the clocks of chain and guests, and for file times. */
export function timeOfDay(): number {
  // oxlint-disable-next-line no-restricted-properties -- the one place that the rule allows
  return Date.now();
}
