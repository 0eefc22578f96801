// Rules of keys in the key-value store of a smart function. They come from the durable storage of the real
// runtime: `/jstz_kv/<36 characters>/<key>` matches `(/[A-Za-z0-9._-]+)+` and has at most 242 bytes.

const MAX_KEY_LENGTH = 196;
const SEGMENTS = /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/;

/** Name of the path error of a bad key, or undefined when the key is good. */
export function kvKeyProblem(key: string): string | undefined {
  if (key.length <= MAX_KEY_LENGTH && SEGMENTS.test(key)) return undefined;
  if (/[^A-Za-z0-9._/-]/.test(key)) return "PathError::InvalidByteInStep";
  if (key.length > MAX_KEY_LENGTH) return "PathError::PathTooLong";
  return "PathError::InvalidEmptyStep";
}

/**
 * Immediate children of a key among the keys of one function; the empty string stands for the key itself.
 * Undefined when there is neither a value nor a child. Without a key: the first segments of all keys.
 */
export function subkeysOf(keys: Iterable<string>, key: string | undefined): string[] | undefined {
  const found = new Set<string>();
  const prefix = key === undefined || key === "" ? "" : `${key}/`;
  for (const candidate of keys) {
    if (candidate === key) found.add("");
    else if (candidate.startsWith(prefix)) {
      const end = candidate.indexOf("/", prefix.length);
      found.add(candidate.slice(prefix.length, end < 0 ? undefined : end));
    }
  }
  return found.size === 0 ? undefined : [...found].sort();
}
