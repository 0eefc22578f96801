// The one place that reads the machine's clock as a time of day. It may jump: spans come from performance.now().

/** Milliseconds since 1970: for what is shown, for the clocks of chain and guests, for times of files. */
export function timeOfDay(): number {
  // eslint-disable-next-line no-restricted-properties -- this is what the rule sends others to
  return Date.now();
}
