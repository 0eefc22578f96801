// Sizes of plain data in V8's heap, for estimates of memory: values of JSON are trees of small objects, many times larger
// than their text.

/** Bytes of an empty list, of each element or field, of a text beside its characters, and of a large integer. */
export const LIST_BYTES = 32;
export const SLOT_BYTES = 8;
export const TEXT_BYTES = 24;
const INTEGER_BYTES = 24;

/** Integers between these take one word. */
const WORD = 1n << 63n;

/** Estimated bytes of an integer: one of a script may have thousands. */
export const integerWeight = (value: bigint): number =>
  value < WORD && value > -WORD ? INTEGER_BYTES : INTEGER_BYTES + Math.ceil(value.toString(16).length / 2);
