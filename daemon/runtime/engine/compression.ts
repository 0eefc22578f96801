// Compression and decompression for the guest's streams, with the host's zlib.

import {
  constants,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
} from "node:zlib";

import { GuestError } from "./guest-error.ts";
import { MAX_DECOMPRESSED_BYTES } from "./limits.ts";

const COMPRESS = { deflate: deflateSync, "deflate-raw": deflateRawSync, gzip: gzipSync } as const;
const DECOMPRESS = { deflate: inflateSync, "deflate-raw": inflateRawSync, gzip: gunzipSync } as const;
type Format = keyof typeof COMPRESS;

function formatOf(format: string): Format {
  if (!Object.hasOwn(COMPRESS, format))
    throw new GuestError("TypeError", `The format ${format} is not known`);
  return format as Format;
}

export const compress = (format: string, bytes: Uint8Array): Uint8Array => COMPRESS[formatOf(format)](bytes);

/** @param complete whether the input must end here */
export function decompress(format: string, bytes: Uint8Array, complete: boolean): Uint8Array {
  const inflate = DECOMPRESS[formatOf(format)];
  const finishFlush = complete ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  let result: { buffer: Buffer; engine: { bytesWritten: number } };
  try {
    // With `info` the result also has the number of input bytes consumed; the type declarations lack that.
    result = inflate(bytes, {
      maxOutputLength: MAX_DECOMPRESSED_BYTES,
      info: true,
      finishFlush,
    }) as unknown as typeof result;
  } catch (error) {
    throw new GuestError("TypeError", `The compressed data is not valid: ${(error as Error).message}`);
  }
  if (complete && result.engine.bytesWritten < bytes.length) {
    throw new GuestError("TypeError", "There is data after the compressed data");
  }
  return result.buffer;
}
