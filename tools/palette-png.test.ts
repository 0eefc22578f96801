import { crc32, deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { withPalette } from "./palette-png.mjs";

function chunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A picture of one row of pixels, red, green and blue, with the filter of its row. */
function picture(width: number, row: readonly number[], filter = 0): Buffer {
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  head.writeUInt32BE(width);
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  const data = deflateSync(Buffer.from([filter, ...row]));
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

const paletteOf = (png: Buffer): string => {
  const at = png.indexOf("PLTE");
  return png.toString("hex", at + 4, at + 4 + png.readUInt32BE(at - 4));
};

it("keeps the colours, the most frequent one first", () => {
  const png = withPalette(picture(3, [1, 2, 3, 9, 9, 9, 1, 2, 3]));
  expect(paletteOf(png)).toBe("010203090909");
});

it("undoes the filters of rows", () => {
  for (const filter of [1, 3, 4]) {
    // Each byte is the difference to the pixel before, or to half of it.
    const png = withPalette(picture(2, [4, 4, 4, 2, 2, 2], filter));
    expect(paletteOf(png)).toBe(filter === 3 ? "040404" : "040404060606");
  }
});

it("has 256 colours at most", () => {
  const colours = Array.from({ length: 300 }, (_, i) => [i >> 8, i & 255, 0]).flat();
  expect(paletteOf(withPalette(picture(300, colours)))).toHaveLength(256 * 6);
});

it("rejects other files", () => {
  expect(() => withPalette(Buffer.from("GIF89a  "))).toThrow("not a PNG");
});
