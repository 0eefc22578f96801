// Timestamps of Michelson: seconds as a number or an RFC 3339 text.

/** Seconds of a text such as `2026-01-31T10:00:00Z` or a plain integer, or undefined. */
export function parseTimestamp(text: string): bigint | undefined {
  if (/^-?\d{1,40}$/.test(text)) return BigInt(text);
  const parts =
    /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:)([0-5]\d|60)((?:\.\d+)?)([Zz]|[+-]\d{2}:?\d{2})$/.exec(text);
  if (!parts) return undefined;
  const [, date, time, seconds, fraction, zone] = parts as unknown as readonly string[];
  // A leap second counts as the next second.
  const isLeap = seconds === "60";
  const milliseconds =
    Date.parse(`${date}T${time}${isLeap ? "59" : seconds}${fraction}${zone!.toUpperCase()}`) +
    (isLeap ? 1000 : 0);
  return Number.isNaN(milliseconds) ? undefined : BigInt(Math.floor(milliseconds / 1000));
}

const LAST_YEAR_9999 = 253_402_300_799n;
const FIRST_YEAR_0 = -62_167_219_200n;

/** Text of a timestamp, `YYYY-MM-DDTHH:MM:SSZ`, or undefined when its year does not have four digits. */
export function formatTimestamp(seconds: bigint): string | undefined {
  if (seconds < FIRST_YEAR_0 || seconds > LAST_YEAR_9999) return undefined;
  return new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}
