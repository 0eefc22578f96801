// A number of bytes as people read it, the same in the terminal, the editor and the explorer.

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/**
 * Formats a number of bytes: exact below 1 KiB, with one decimal above.
 * @param exactBelow up to here the number is exact too, so that a size just above a limit does not look like the limit
 */
export function sizeText(bytes: number, exactBelow = 1024): string {
  if (bytes === 1) return "1 byte";
  if (bytes < Math.max(1024, exactBelow)) return `${bytes} bytes`;
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** power;
  return `${Number.isInteger(size) ? size : size.toFixed(1)} ${UNITS[power]}`;
}
