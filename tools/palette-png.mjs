// Small PNG files of screens: with a palette of the 256 most frequent colours, which screens hardly exceed.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const MAX_COLOURS = 256;

/**
 * @param {Buffer} png 8 bits per channel, red, green and blue, perhaps with alpha, which is dropped; not interlaced
 * @returns {Buffer} the same picture with a palette; colours beyond the palette become the nearest ones in it
 */
export function withPalette(png) {
  const { width, height, pixels } = decode(png);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const palette = [...counts].sort(([, one], [, other]) => other - one).slice(0, MAX_COLOURS);
  const colours = palette.map(([colour]) => colour);
  const index = new Map(colours.map((colour, i) => [colour, i]));
  for (const colour of counts.keys()) if (!index.has(colour)) index.set(colour, nearest(colour, colours));
  const rows = Buffer.alloc(height * (width + 1)); // each begins with the number of its filter, which is 0
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = index.get(pixels[at++]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3], 8); // bits, palette
  const entries = Buffer.from(colours.flatMap(channels));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("PLTE", entries),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const channels = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255];

function nearest(colour, colours) {
  const wanted = channels(colour);
  const distance = (other) =>
    channels(other).reduce((sum, channel, i) => sum + (channel - wanted[i]) ** 2, 0);
  let best = 0;
  for (let i = 1; i < colours.length; i++) if (distance(colours[i]) < distance(colours[best])) best = i;
  return best;
}

function chunk(name, content) {
  const body = Buffer.concat([Buffer.from(name, "latin1"), content]);
  const frame = Buffer.alloc(4);
  const sum = Buffer.alloc(4);
  frame.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([frame, body, sum]);
}

/** Pixels as 0xRRGGBB, row by row. */
function decode(png) {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error("not a PNG");
  const data = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const [bits, kind, , , interlace] = png.subarray(24, 29);
  if (bits !== 8 || ![2, 6].includes(kind) || interlace !== 0) throw new Error("another form of PNG");
  const size = kind === 2 ? 3 : 4;
  const stride = width * size;
  const raw = inflateSync(Buffer.concat(data));
  const whole = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x < size ? 0 : whole[at - size];
      const up = y === 0 ? 0 : whole[at - stride];
      const corner = x < size || y === 0 ? 0 : whole[at - stride - size];
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      whole[at] = raw[y * (stride + 1) + 1 + x] + guess;
    }
  }
  const pixels = new Uint32Array(width * height);
  for (let i = 0; i < pixels.length; i++) pixels[i] = whole.readUIntBE(i * size, 3);
  return { width, height, pixels };
}

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((each) => Math.abs(guess - each));
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
