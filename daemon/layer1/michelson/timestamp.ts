// Timestamps of Michelson: seconds as a number or an RFC 3339 text.

/** Seconds of a text such as `2026-01-31T10:00:00Z` or a plain integer, or undefined. */
export function parseTimestamp(text: string): bigint | undefined {
  if (/^-?\d{1,40}$/.test(text)) return BigInt(text);
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})$/.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : BigInt(Math.floor(milliseconds / 1000));
}

const LAST_YEAR_9999 = 253_402_300_799n;
const FIRST_YEAR_0 = -62_167_219_200n;

/** Text of a timestamp, `YYYY-MM-DDTHH:MM:SSZ`, or undefined when its year has not four digits. */
export function formatTimestamp(seconds: bigint): string | undefined {
  if (seconds < FIRST_YEAR_0 || seconds > LAST_YEAR_9999) return undefined;
  return new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}
