// Bytes as people read them: offsets, hexadecimal bytes and characters. The explorer bundles this file, so it imports nothing.

const ROW = 16;

/** Sixteen bytes a line, joined by line feeds; none for no bytes. @param most bytes shown, a multiple of 16 */
export function hexDump(bytes: Uint8Array, most: number): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, most); at += ROW) {
    const row = [...bytes.subarray(at, at + ROW)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(8, "0")}  ${hex.padEnd(ROW * 3 - 1)}  ${text}`);
  }
  if (bytes.length > most) lines.push(`… ${bytes.length - most} further bytes`);
  return lines.join("\n");
}
