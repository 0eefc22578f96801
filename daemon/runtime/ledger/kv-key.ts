// Rules for keys in the key-value store of a smart function. They come from the durable storage of the real runtime:
// `/jstz_kv/<36 characters>/<key>` matches `(/[A-Za-z0-9._-]+)+` and has at most 242 bytes.

const MAX_KEY_LENGTH = 196;
const SEGMENTS = /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/;

/** Name of the path error of an invalid key, or undefined. */
export function kvKeyProblem(key: string): string | undefined {
  if (key.length <= MAX_KEY_LENGTH && SEGMENTS.test(key)) return undefined;
  if (/[^A-Za-z0-9._/-]/.test(key)) return "PathError::InvalidByteInStep";
  if (key.length > MAX_KEY_LENGTH) return "PathError::PathTooLong";
  return "PathError::InvalidEmptyStep";
}
